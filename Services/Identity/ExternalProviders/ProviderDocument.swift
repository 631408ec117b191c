import Foundation
import Operations

/// Reads the JSON of providers: strictly, as everything is read here, so that no name has two values, but with names that nobody
/// here knows, for every provider has some.
enum ProviderDocument {
  static func decode<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> T {
    _ = try JSONTape(bytes, limits: JSONLimits(bytes: ProviderWeb.maxBytes, depth: 16))
    return try JSONDecoder().decode(T.self, from: Data(bytes))
  }
}

/// A value of which only the simple kinds matter.
enum ProviderValue: Decodable, Hashable, Sendable {
  case text(String)
  case number(Double)
  case bool(Bool)
  case texts([String])
  case other

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([String].self) {
      self = .texts(value)
    } else {
      self = .other
    }
  }

  var text: String? {
    guard case .text(let value) = self else { return nil }
    return value
  }

  var number: Double? {
    guard case .number(let value) = self, value.isFinite else { return nil }
    return value
  }

  /// True also as a text, which is how Apple writes it.
  var isTrue: Bool { self == .bool(true) || self == .text("true") }
}
