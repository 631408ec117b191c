import Foundation
import InProcess
import Sampling
import Testing

@testable import ActivityService

@Suite("Places within a distance (T UC 03.05)")
struct HistoryAreaTests {
  /// Degrees of latitude that are so many metres.
  private func degrees(_ meters: Double) -> Double { meters / HistoryArea.earthRadius * 180 / .pi }

  @Test("A 5 km area contains points at 4,999 m and none at 5,001 m", arguments: [-89.0, -33.4, 0, 40.4, 71.1, 88.9])
  func border(latitude: Double) {
    let area = HistoryArea(latitude: latitude, longitude: 2, meters: 5_000)
    for sign in [-1.0, 1] {
      #expect(area.contains(latitude: latitude + sign * degrees(4_999), longitude: 2))
      #expect(!area.contains(latitude: latitude + sign * degrees(5_001), longitude: 2))
    }
  }

  @Test("An area across the date line contains both sides")
  func dateLine() {
    for longitude in [179.99, -179.99, 180, -180] {
      let area = HistoryArea(latitude: -16.5, longitude: longitude, meters: 5_000)
      for other in [179.98, -179.98, 180, -180] {
        #expect(area.contains(latitude: -16.5, longitude: other))
        #expect(area.boxes.contains { $0.west <= other && other <= $0.east }, "\(longitude) \(other)")
      }
      #expect(!area.contains(latitude: -16.5, longitude: 179.9) || longitude == 179.9)
      #expect(area.boxes.count == 2)
    }
  }

  @Test("An area around a pole contains all longitudes", arguments: [90.0, -90, 89.99, -89.97])
  func poles(latitude: Double) {
    let area = HistoryArea(latitude: latitude, longitude: 10, meters: 5_000)
    for longitude in stride(from: -180.0, through: 180, by: 15) {
      let other = latitude > 0 ? 89.99 : -89.99
      #expect(area.contains(latitude: other, longitude: longitude))
      #expect(area.boxes.contains { $0.south <= other && other <= $0.north && $0.west <= longitude && longitude <= $0.east })
    }
  }

  @Test("Whatever lies within the distance lies within the area's boxes, for 20,000 points of any place and distance")
  func boxes() {
    var generator = SeededGenerator(7)
    var inside = 0
    for _ in 0..<20_000 {
      let latitudes: [Double] = [Double.random(in: -90...90, using: &generator), 90, -90, 89.99, -89.999]
      let longitudes: [Double] = [Double.random(in: -180...180, using: &generator), 180, -180, 179.999]
      let area = HistoryArea(
        latitude: latitudes.randomElement(using: &generator) ?? 0, longitude: longitudes.randomElement(using: &generator) ?? 0,
        meters: pow(10, Double.random(in: 0...4.7, using: &generator)))
      // A point about as far away, in any direction.
      let away: Double = degrees(area.meters) * Double.random(in: 0...1.5, using: &generator)
      let bearing = Double.random(in: 0...6.28, using: &generator)
      let north: Double = area.latitude + away * cos(bearing)
      let latitude: Double = max(-90, min(90, north))
      let narrow: Double = max(1e-6, cos(area.latitude * Double.pi / 180))
      let east: Double = area.longitude + away * sin(bearing) / narrow
      let longitude = east.remainder(dividingBy: 360)
      let isInside = area.contains(latitude: latitude, longitude: longitude)
      inside += isInside ? 1 : 0
      let isBoxed = area.boxes.contains {
        $0.south <= latitude && latitude <= $0.north && $0.west <= longitude && longitude <= $0.east
      }
      #expect(!isInside || isBoxed, "\(area) \(latitude) \(longitude)")
    }
    #expect(inside > 5_000)
  }
}
