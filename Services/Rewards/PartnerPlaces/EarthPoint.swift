import Foundation

/// A point on a sphere of the earth's mean radius, as a vector of length 1.
///
/// The squared straight line between two points, their chord, grows with their distance along the great circle and needs only additions and
/// multiplications: so SQL can compare distances by it, also across the poles and the antimeridian.
struct EarthPoint: Hashable, Sendable {
  /// The mean radius R1 of the earth in metres (IUGG); it is off by at most 0.6 % anywhere.
  static let radius = 6_371_008.8

  let x: Double
  let y: Double
  let z: Double

  /// - Parameters: in degrees.
  init(latitude: Double, longitude: Double) {
    let (north, east) = (latitude * .pi / 180, longitude * .pi / 180)
    x = cos(north) * cos(east)
    y = cos(north) * sin(east)
    z = sin(north)
  }

  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The square of the chord to another point.
  func squaredChord(to other: EarthPoint) -> Double {
    let (a, b, c) = (x - other.x, y - other.y, z - other.z)
    return a * a + b * b + c * c
  }

  /// The chord for so many metres along a great circle.
  static func chord(meters: Double) -> Double { 2 * sin(min(meters / (2 * radius), .pi / 2)) }

  /// The distance along the great circle in metres, rounded.
  static func meters(squaredChord: Double) -> Int {
    Int((2 * radius * asin(min(1, squaredChord.squareRoot() / 2))).rounded())
  }
}
