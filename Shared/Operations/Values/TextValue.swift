/// A value that travels as one JSON string and is validated when it is created: an id, a username, an instant.
///
/// The strict decoder asks such types for their rule, so that a bad value becomes a problem of its field instead of ending the
/// decoding; see ``Document``.
public protocol TextValue: Codable, Hashable, Sendable, CustomStringConvertible {
  /// Stands in while the remaining fields of a refused document are being checked. Never reaches a handler.
  static var placeholder: Self { get }
  /// The type's schema in the OpenAPI document.
  static var schema: JSON { get }
  /// Reads the canonical or an accepted form.
  init(text: String) throws(FieldRule)
  /// Reads the same from valid UTF-8; a type of which a request may hold thousands can avoid making the string.
  init(utf8: UnsafeBufferPointer<UInt8>) throws(FieldRule)
  /// The canonical form, as it travels.
  var description: String { get }
}

extension TextValue {
  public init(utf8: UnsafeBufferPointer<UInt8>) throws(FieldRule) {
    try self.init(text: String(decoding: utf8, as: UTF8.self))
  }

  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    do {
      self = try Self(text: text)
    } catch {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: error.code))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A closed list of words, such as the kinds of a goal. `enum GoalKind: String, Choice { case check, quantity, duration }`.
public protocol Choice: TextValue, CaseIterable, RawRepresentable where RawValue == String {}

extension Choice {
  /// The choice of a raw value, or of a former one: what was stored or published earlier keeps it.
  public init?(_ rawValue: String, formerly former: [String: Self]) {
    guard let choice = former[rawValue] ?? Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = choice
  }

  public static var placeholder: Self {
    guard let first = allCases.first else { preconditionFailure("a choice has at least one case") }
    return first
  }

  public static var schema: JSON {
    ["type": "string", "enum": .array(allCases.map { .string($0.rawValue) })]
  }

  public init(text: String) throws(FieldRule) {
    guard let value = Self(rawValue: text) else {
      throw FieldRule("not_a_choice", ["choices": .text(Self.allCases.map(\.rawValue).joined(separator: ", "))])
    }
    self = value
  }

  public var description: String { rawValue }
}
