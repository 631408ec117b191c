/// What an edit says of one field: nothing, that it is to be empty, or what it is to be (RFC 7396).
///
///     {"title": "Run"}                   // .set("Run"), and every other field .keep
///     {"title": "Run", "reason": null}   // reason: .clear
public enum Edit<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
  /// The field is absent: it stays as it is.
  case keep
  /// The field is null.
  case clear
  /// The field is to be this.
  case set(Value)

  /// What the field is to be; nil where that is not said.
  public var value: Value? {
    guard case .set(let value) = self else { return nil }
    return value
  }

  /// What a field that has a value always is afterwards.
  public func applied(to present: Value) -> Value { value ?? present }

  /// What a field that may be empty is afterwards.
  public func applied<Present>(to present: Present?) -> Present? where Value == Nullable<Present> {
    switch self {
    case .keep: present
    case .clear: nil
    case .set(let value): value.value
    }
  }
}

extension Edit: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = container.decodeNil() ? .clear : .set(try container.decode(Value.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .keep, .clear: try container.encodeNil()
    case .set(let value): try container.encode(value)
    }
  }
}

// Synthesized coding of documents in this module prefers these to the general ones.

extension KeyedDecodingContainer {
  /// Reads a field of an edit, which may be absent or null.
  func decode<Value>(_ type: Edit<Value>.Type, forKey key: Key) throws -> Edit<Value> {
    guard contains(key) else { return .keep }
    guard try !decodeNil(forKey: key) else { return .clear }
    return try decodeIfPresent(Value.self, forKey: key).map { .set($0) } ?? .clear
  }
}

extension KeyedEncodingContainer {
  /// Writes a field of an edit; one that stays as it is is left out.
  mutating func encode<Value>(_ edit: Edit<Value>, forKey key: Key) throws {
    switch edit {
    case .keep: break
    case .clear: try encodeNil(forKey: key)
    case .set(let value): try encode(value, forKey: key)
    }
  }
}
