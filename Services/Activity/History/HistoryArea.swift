import ActivityContract
import Foundation

/// All places within a distance of a point, by the great circle on a sphere of the earth's mean radius.
struct HistoryArea: Hashable, Sendable {
  /// The mean radius R1 of the earth in metres (IUGG); it is off by at most 0.6 % anywhere.
  static let earthRadius = 6_371_008.8

  let latitude: Double
  let longitude: Double
  let meters: Double

  /// A rectangle of latitudes and longitudes, in degrees.
  struct Box: Hashable, Sendable {
    let south: Double
    let north: Double
    let west: Double
    let east: Double
  }

  func contains(latitude other: Double, longitude otherLongitude: Double) -> Bool {
    // Haversine: exact for short distances too.
    let (one, two) = (latitude.radians, other.radians)
    let a = sin((two - one) / 2), b = sin((otherLongitude - longitude).radians / 2)
    let angle = 2 * asin(min(1, (a * a + cos(one) * cos(two) * b * b).squareRoot()))
    return angle * HistoryArea.earthRadius <= meters
  }

  /// One box, or two where the area crosses the antimeridian: they contain all of the area and little else.
  var boxes: [Box] {
    // Slightly larger, to make up for rounding.
    let angle = meters / HistoryArea.earthRadius * (1 + 1e-9) + 1e-12
    let south = latitude - angle.degrees
    let north = latitude + angle.degrees
    // Around a pole the area contains all longitudes.
    guard south > -90, north < 90 else {
      return [Box(south: max(-90, south), north: min(90, north), west: -180, east: 180)]
    }
    let width = asin(min(1, sin(angle) / cos(latitude.radians))).degrees
    let (west, east) = (longitude - width, longitude + width)
    if west < -180 || east > 180 || west == -180 || east == 180 {
      return [
        Box(south: south, north: north, west: west <= -180 ? west + 360 : west, east: 180),
        Box(south: south, north: north, west: -180, east: east >= 180 ? east - 360 : east),
      ]
    }
    return [Box(south: south, north: north, west: west, east: east)]
  }
}

extension Double {
  fileprivate var radians: Double { self * .pi / 180 }
  fileprivate var degrees: Double { self * 180 / .pi }
}
