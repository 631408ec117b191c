public import Operations

/// What a person typed into a field of a form: its value, or the rule that the text breaks.
///
/// The decoder refuses a document with its first kind of trouble, before the feature sees it. A form is to name everything at
/// once, also what only the feature can know (a username is taken), so its fields are read without refusing and validated there.
public enum FormField<Value: TextValue>: TextValue {
  case right(Value)
  case wrong(text: String, FieldRule)
  case missing

  public init(text: String) {
    guard !text.isEmpty else {
      self = .missing
      return
    }
    do {
      self = .right(try Value(text: text))
    } catch {
      self = .wrong(text: text, error)
    }
  }

  public var value: Value? {
    guard case .right(let value) = self else { return nil }
    return value
  }

  /// The rule broken, nil if none is.
  public var rule: FieldRule? {
    switch self {
    case .right: nil
    case .wrong(_, let rule): rule
    case .missing: FieldRule("required")
    }
  }

  public var description: String {
    switch self {
    case .right(let value): value.description
    case .wrong(let text, _): text
    case .missing: ""
    }
  }

  public static var placeholder: Self { .missing }

  public static var schema: JSON { Value.schema }
}

extension FormField: ExpressibleByUnicodeScalarLiteral, ExpressibleByExtendedGraphemeClusterLiteral, ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text: text) }
}

extension KeyedDecodingContainer {
  /// Reads a form's required field; absent and null are ``FormField/missing``, for the feature to report.
  ///
  /// Synthesized `init(from:)` of documents in this module prefer it to the general one.
  func decode<Value>(_ type: FormField<Value>.Type, forKey key: Key) throws -> FormField<Value> {
    guard contains(key), try !decodeNil(forKey: key) else { return .missing }
    return try decodeAny(type, forKey: key)
  }

  private func decodeAny<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decode(type, forKey: key) }
}
