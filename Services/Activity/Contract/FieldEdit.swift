/// A field of an edit: what is left out stays as it is, null removes it.
///
/// A document that has one reads and writes it by `edit(of:forKey:)` and `encode(_:forKey:)` in an `init(from:)` and `encode(to:)` of its own.
public enum FieldEdit<Value: Codable & Sendable & Hashable>: Sendable, Hashable {
  /// Left out.
  case keep
  /// Null.
  case remove
  /// Given.
  case set(Value)

  /// What is given.
  public var value: Value? {
    if case .set(let value) = self { value } else { nil }
  }
}

extension KeyedDecodingContainer {
  /// A field that may be left out, null or given.
  func edit<Value>(of type: Value.Type, forKey key: Key) throws -> FieldEdit<Value> {
    guard contains(key) else { return .keep }
    guard try !decodeNil(forKey: key) else { return .remove }
    return try decodeIfPresent(type, forKey: key).map { .set($0) } ?? .remove
  }
}

extension KeyedEncodingContainer {
  /// Writes a field that may be left out, null or given.
  mutating func encode<Value>(_ edit: FieldEdit<Value>, forKey key: Key) throws {
    switch edit {
    case .keep: break
    case .remove: try encodeNil(forKey: key)
    case .set(let value): try encode(value, forKey: key)
    }
  }
}
