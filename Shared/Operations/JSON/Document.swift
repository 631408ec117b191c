/// A value that travels as a JSON object: the input and output of an operation, an event's body, and the objects inside them.
///
/// A document is a plain `Codable` struct whose fields are strings, whole numbers, decimals, truth values, ``TextValue``s, other documents,
/// arrays, optionals and ``Patch``es of these. Null is accepted for a patch that allows it and refused everywhere else: a client that sends
/// it may mean to remove a value that would stay. Its synthesized `init(from:)` serves three readers: the strict decoder, which collects
/// every bad field before it refuses; the schema recorder, which writes the OpenAPI document; and any other decoder.
///
///     struct Goal: Document {
///       var steps: Int
///       static let notes: Notes = ["steps": Note("Steps a day.", range: 1...100_000, example: 8000)]
///     }
public protocol Document: Codable, Sendable {
  /// The name in the OpenAPI document: the type's own unless the document sets another, as generic types do.
  static var schemaName: String { get }
  /// Description and limits of each field, by its name. A test fails when a field has none.
  static var notes: Notes { get }
  /// Whether its texts repeat what others sent, and so may hold control characters, which no other document may.
  static var quotes: Bool { get }
  /// Rules beyond the notes, of a field or between fields.
  ///
  /// They are checked even if other fields are invalid, so that all problems are reported together. A field that could not be read is a
  /// placeholder then, and no rule that the field itself breaks is reported for it. A rule that looks at fields other than the one it
  /// reports asks ``FieldChecks/areRight(_:)`` about those first.
  func check(_ fields: inout FieldChecks)
}

public typealias Notes = [String: Note]

extension Document {
  /// The type's name without its module: `SendMessage.Input` becomes `SendMessageInput`.
  public static var schemaName: String {
    // Also leaves out the markers of private types.
    String(reflecting: Self.self).split(at: ".").dropFirst().filter { !$0.begins(with: "(") }.joined()
  }

  public static var quotes: Bool { false }

  public func check(_ fields: inout FieldChecks) {}
}

/// The document without fields.
public struct Empty: Document, Hashable {
  public init() {}
  public static let notes: Notes = [:]
}

/// Describes and limits one field.
public struct Note: Sendable, ExpressibleByStringLiteral {
  public let text: String
  /// Smallest and largest number.
  public let range: ClosedRange<Double>?
  /// Fewest and most characters (grapheme clusters) of a plain string.
  public let length: ClosedRange<Int>?
  /// Fewest and most elements of an array.
  public let items: ClosedRange<Int>?
  public let example: JSON?
  let breaksLines: Bool
  let isCheckedByFeature: Bool

  /// - Parameters:
  ///   - breaksLines: whether a plain string may hold line breaks and tabs; other control characters never pass.
  ///   - isCheckedByFeature: whether a number's range is documented for clients but left for the feature to check, because it reports all
  ///     faults of a form at once.
  public init(
    _ text: String, range: ClosedRange<Double>? = nil, length: ClosedRange<Int>? = nil, items: ClosedRange<Int>? = nil,
    breaksLines: Bool = false, isCheckedByFeature: Bool = false, example: JSON? = nil
  ) {
    self.text = text
    self.range = range
    self.length = length
    self.items = items
    self.breaksLines = breaksLines
    self.isCheckedByFeature = isCheckedByFeature
    self.example = example
  }

  public init(stringLiteral value: String) { self.init(value) }
}

/// Collects the broken rules of a document's fields.
public struct FieldChecks {
  let path: FieldPath
  /// The problems found in the document so far.
  private let found: [FieldProblem]
  var problems: [FieldProblem] = []

  init(path: FieldPath, found: [FieldProblem] = []) {
    self.path = path
    self.found = found
  }

  /// Whether no problem was found in those fields, or within them, before the document's own rules.
  public func areRight(_ fields: String...) -> Bool { fields.allSatisfy { !hasFault(FieldPath.key(path, $0).description) } }

  /// Records that a field breaks a rule. Nothing is added for a field already at fault, since it holds a placeholder.
  public mutating func refuse(_ field: String, _ rule: FieldRule) {
    let location = FieldPath.key(path, field).description
    if !hasFault(location) { problems.append(FieldProblem(field: location, rule)) }
  }

  /// Whether a problem was found at that field, within it, or around it.
  private func hasFault(_ location: String) -> Bool {
    found.contains { $0.field == location || location.isWithin($0.field) || $0.field.isWithin(location) }
  }

  /// Records the rule as broken unless the condition holds.
  public mutating func expect(_ condition: Bool, _ field: String, _ rule: @autoclosure () -> FieldRule) {
    if !condition { refuse(field, rule()) }
  }
}

extension String {
  /// Whether the field path is inside the other.
  func isWithin(_ location: String) -> Bool {
    guard utf8.count > location.utf8.count, begins(with: location) else { return false }
    let next = utf8[utf8.index(utf8.startIndex, offsetBy: location.utf8.count)]
    return next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
  }
}

indirect enum FieldPath: Sendable, CustomStringConvertible {
  case root
  case key(FieldPath, String)
  case index(FieldPath, Int)

  var description: String {
    switch self {
    case .root: ""
    case .key(.root, let name): name
    case .key(let parent, let name): "\(parent).\(name)"
    case .index(let parent, let index): "\(parent)[\(index)]"
    }
  }
}

extension Document {
  /// The document as compact JSON, its fields in the order of declaration.
  public var json: [UInt8] { DocumentEncoder.encode(self) }

  /// Reads a document strictly.
  ///
  /// - Parameter parameters: fields given outside the body, such as path and query parameters.
  /// - Throws: ``Failure`` with code `invalid_json`, or `invalid_fields` with every field at fault.
  public static func decode(_ bytes: [UInt8], parameters: [String: String] = [:], limits: JSONLimits = JSONLimits())
    throws(Failure) -> Self
  {
    try DocumentDecoder.decode(Self.self, bytes, parameters: parameters, limits: limits)
  }
}
