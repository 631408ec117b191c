/// What a document says of one field of something that is there already (RFC 7396): nothing, or what it is to be.
///
/// The value's type says whether null clears the field. Where it is optional, null is `.set(nil)`, and the schema takes null; where it
/// is not, the field always has a value, and null is refused by the field's name.
///
///     var title: Patch<String>     // {"title": "Run"} is .set("Run"), {} is .keep, {"title": null} is refused
///     var reason: Patch<Reason?>   // {"reason": null} is .set(nil)
public enum Patch<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
  /// The field is absent: it stays as it is.
  case keep
  /// The field is to be this.
  case set(Value)

  /// What is given for the field; nil where it stays.
  public var value: Value? {
    guard case .set(let value) = self else { return nil }
    return value
  }

  /// What the field is afterwards.
  public func applied(to present: Value) -> Value {
    guard case .set(let value) = self else { return present }
    return value
  }
}

extension Patch where Value: Clearable {
  /// What is given for the field; nil where it stays, and where it is cleared.
  public var value: Value.Wrapped? {
    guard case .set(let value) = self else { return nil }
    return value.wrapped
  }
}

/// The value of a field that may be empty: an optional one.
public protocol Clearable: ExpressibleByNilLiteral {
  associatedtype Wrapped
  var wrapped: Wrapped? { get }
}

extension Optional: Clearable {
  public var wrapped: Wrapped? { self }
}

extension Patch: Codable {
  public init(from decoder: any Decoder) throws { self = .set(try Value(from: decoder)) }

  /// Whoever holds a patch leaves out one that keeps its field; alone it would be null.
  public func encode(to encoder: any Encoder) throws {
    if case .set(let value) = self { return try value.encode(to: encoder) }
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

// Synthesized coding prefers these to the general ones, so that a document with patches is as plain as any other.

extension KeyedDecodingContainer {
  /// Reads a field that may be left out, but is not null; the strict decoder refuses null.
  public func decode<Value>(_ type: Patch<Value>.Type, forKey key: Key) throws -> Patch<Value> {
    try decodeIfPresent(Value.self, forKey: key).map { .set($0) } ?? .keep
  }

  /// Reads a field that may be left out or null.
  public func decode<Value>(_ type: Patch<Value?>.Type, forKey key: Key) throws -> Patch<Value?> {
    guard contains(key) else { return .keep }
    guard try !decodeNil(forKey: key) else { return .set(nil) }
    return .set(try decodeIfPresent(Value.self, forKey: key))
  }
}

extension KeyedEncodingContainer {
  /// Writes a field, unless it stays as it is.
  public mutating func encode<Value>(_ patch: Patch<Value>, forKey key: Key) throws {
    guard case .set(let value) = patch else { return }
    try encode(value, forKey: key)
  }

  /// Writes a field, null where it is to be empty, unless it stays as it is.
  public mutating func encode<Value>(_ patch: Patch<Value?>, forKey key: Key) throws {
    guard case .set(let value) = patch else { return }
    guard let value else { return try encodeNil(forKey: key) }
    try encode(value, forKey: key)
  }
}
