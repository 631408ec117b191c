import Foundation
import Operations

/// A point on the earth, in degrees. It serves to assess logins and is shown to nobody.
struct Coordinates: Hashable, Sendable {
  var latitude: Double
  var longitude: Double

  /// The way along a great circle (haversine), on a sphere of the earth's mean radius.
  func kilometres(to other: Coordinates) -> Double {
    let (here, there) = (latitude * .pi / 180, other.latitude * .pi / 180)
    let (north, east) = (there - here, (other.longitude - longitude) * .pi / 180)
    let chord = pow(sin(north / 2), 2) + cos(here) * cos(there) * pow(sin(east / 2), 2)
    return 2 * 6371.0088 * asin(min(1, chord.squareRoot()))
  }
}

/// Where an address is, by the database of places.
struct Place: Hashable, Sendable {
  /// ISO 3166-1, two letters.
  var countryCode: String?
  var country: [Language: String] = [:]
  var city: [Language: String] = [:]
  var coordinates: Coordinates?

  /// A name in that language, in English where it has none there.
  static func name(_ names: [Language: String], _ language: Language) -> String? { names[language] ?? names[.english] }
}
