/// What a document says about one field of an existing object (RFC 7396): nothing, or its new value.
///
/// The value's type says whether null clears the field. If it is optional, null is `.set(nil)`, and the schema accepts null. If it is not,
/// the field always has a value, and null is refused with the field's name.
///
///     var title: Patch<String>     // {"title": "Run"} is .set("Run"), {} is .keep, {"title": null} is refused
///     var reason: Patch<Reason?>   // {"reason": null} is .set(nil)
public enum Patch<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
  /// The field is absent: it stays as it is.
  case keep
  /// The field gets this value.
  case set(Value)

  /// The new value; nil if the field stays as it is.
  public var value: Value? {
    guard case .set(let value) = self else { return nil }
    return value
  }

  /// The value of the field after the patch.
  public func applied(to present: Value) -> Value {
    guard case .set(let value) = self else { return present }
    return value
  }
}

extension Patch where Value: Clearable {
  /// The new value; nil if the field stays as it is or is cleared.
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

  /// The enclosing document leaves out a patch that keeps its field; encoded alone, such a patch is null.
  public func encode(to encoder: any Encoder) throws {
    if case .set(let value) = self { return try value.encode(to: encoder) }
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

// Synthesized coding prefers these to the general ones, so that a document with patches is as plain as any other.

extension KeyedDecodingContainer {
  /// Reads a field that may be absent but not null; the strict decoder refuses null.
  public func decode<Value>(_ type: Patch<Value>.Type, forKey key: Key) throws -> Patch<Value> {
    try decodeIfPresent(Value.self, forKey: key).map { .set($0) } ?? .keep
  }

  /// Reads a field that may be absent or null.
  public func decode<Value>(_ type: Patch<Value?>.Type, forKey key: Key) throws -> Patch<Value?> {
    guard contains(key) else { return .keep }
    guard try !decodeNil(forKey: key) else { return .set(nil) }
    return .set(try decodeIfPresent(Value.self, forKey: key))
  }
}

extension KeyedEncodingContainer {
  /// Writes a field unless the patch keeps it.
  public mutating func encode<Value>(_ patch: Patch<Value>, forKey key: Key) throws {
    guard case .set(let value) = patch else { return }
    try encode(value, forKey: key)
  }

  /// Writes a field unless the patch keeps it; null if the field is cleared.
  public mutating func encode<Value>(_ patch: Patch<Value?>, forKey key: Key) throws {
    guard case .set(let value) = patch else { return }
    guard let value else { return try encodeNil(forKey: key) }
    try encode(value, forKey: key)
  }
}
