import CMaxMind
import Operations
import ServiceKit

/// The places of network addresses: a file in MaxMind's format, with the shape of GeoLite2-City, read through libmaxminddb.
///
/// The file is mapped into memory, and a lookup takes microseconds. A newer file takes effect after a restart.
struct PlaceDatabase: Sendable {
  static let setting = "racha.places.database"

  /// Nothing writes to it after it was opened, and libmaxminddb reads it from any number of threads.
  nonisolated(unsafe) private let database: UnsafePointer<MMDB_s>?

  /// Knows no place: sessions show their network instead.
  static let none = PlaceDatabase(database: nil)

  /// The configured database, ``none`` if there is none. A file that cannot be used is recorded in the settings.
  init(_ settings: Settings) {
    guard let path = settings.string(Self.setting) else {
      self = .none
      return
    }
    self.init(database: racha_maxmind_open(path))
    if database == nil { settings.refuse(Self.setting, "must name a file in MaxMind's format, not \"\(path)\"") }
  }

  private init(database: UnsafePointer<MMDB_s>?) { self.database = database }

  /// The place of the address; nil if it is unknown.
  func place(_ address: IPAddress) -> Place? {
    guard let database else { return nil }
    let found = racha_maxmind_look_up(database, address.text)
    guard found.found_entry else { return nil }
    let place = Place(
      countryCode: text(found, ["country", "iso_code"]), country: names(found, "country"), city: names(found, "city"),
      coordinates: coordinates(found))
    return place == Place() ? nil : place
  }

  private func names(_ found: MMDB_lookup_result_s, _ what: String) -> [Language: String] {
    var names: [Language: String] = [:]
    for language in Language.allCases { names[language] = text(found, [what, "names", language.rawValue]) }
    return names
  }

  private func coordinates(_ found: MMDB_lookup_result_s) -> Coordinates? {
    guard let latitude = number(found, ["location", "latitude"]), let longitude = number(found, ["location", "longitude"]),
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { return nil }
    return Coordinates(latitude: latitude, longitude: longitude)
  }

  private func text(_ found: MMDB_lookup_result_s, _ path: [String]) -> String? {
    Self.with(path) { keys in
      var length: UInt32 = 0
      guard let start = racha_maxmind_text(found, keys, &length) else { return nil }
      let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
      return String(validating: bytes.bindMemory(to: UInt8.self), as: UTF8.self)
    }
  }

  private func number(_ found: MMDB_lookup_result_s, _ path: [String]) -> Double? {
    Self.with(path) { keys in
      var number = 0.0
      return racha_maxmind_number(found, keys, &number) ? number : nil
    }
  }

  /// The keys as C has them: texts and a null pointer at the end.
  private static func with<Value>(_ path: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value) -> Value {
    let texts = path.map { Array($0.utf8CString) }
    let bytes = texts.flatMap { $0 }
    return bytes.withUnsafeBufferPointer { buffer in
      var offset = 0
      var keys: [UnsafePointer<CChar>?] = texts.map { text in
        defer { offset += text.count }
        return buffer.baseAddress.map { $0 + offset }
      }
      keys.append(nil)
      return keys.withUnsafeBufferPointer { keys in
        guard let start = keys.baseAddress else { preconditionFailure("a path ends in a null pointer") }
        return body(start)
      }
    }
  }
}
