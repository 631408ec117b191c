import Foundation

/// A point of a sphere of the earth's mean radius, as a vector of length 1.
///
/// The square of the straight line between two of them, their chord, grows with their distance along the great circle, and takes no more than
/// additions and multiplications: so a store compares distances by it, also over the poles and where longitudes begin anew.
struct EarthPoint: Hashable, Sendable {
  /// The mean radius R1 of the earth in metres (IUGG), from which no place is off by more than 0.6 %.
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

  /// The chord of that many metres along a great circle.
  static func chord(meters: Double) -> Double { 2 * sin(min(meters / (2 * radius), .pi / 2)) }

  /// How many metres along the great circle that is, rounded.
  static func meters(squaredChord: Double) -> Int {
    Int((2 * radius * asin(min(1, squaredChord.squareRoot() / 2))).rounded())
  }
}
