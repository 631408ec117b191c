/// What travels as a JSON object: the input and output of an operation, an event's body, and the objects inside them.
///
/// A document is a plain `Codable` struct whose fields are strings, whole numbers, decimals, truth values, ``TextValue``s, other
/// documents, arrays, optionals and ``Patch``es of these. Null is taken for a patch that says so and refused everywhere else:
/// who sends it may mean to remove what would stay. Its synthesized `init(from:)` serves three readers: the strict decoder, which
/// collects every bad field before it refuses; the schema recorder, which writes the OpenAPI document; and any other decoder.
///
///     struct Goal: Document {
///       var steps: Int
///       static let notes: Notes = ["steps": Note("Steps a day.", range: 1...100_000, example: 8000)]
///     }
public protocol Document: Codable, Sendable {
  /// What the OpenAPI document calls it. It is the type's own name unless the document says another, as those of generic types do.
  static var schemaName: String { get }
  /// Description and limits of each field, by its name. A test fails when a field has none.
  static var notes: Notes { get }
  /// Whether its texts repeat what others sent, and so may hold control characters, which no other document's do.
  static var quotes: Bool { get }
  /// Rules of its own, beyond the notes: of a field, and between fields.
  ///
  /// They are checked whatever else is wrong, so that all is reported together. What could not be read is a placeholder then, and no
  /// rule that the field itself breaks is reported of it; a rule that looks at other fields than the one it is reported of asks
  /// ``FieldChecks/areRight(_:)`` about those first.
  func check(_ fields: inout FieldChecks)
}

public typealias Notes = [String: Note]

extension Document {
  /// The type's name without its module: `SendMessage.Input` becomes `SendMessageInput`.
  public static var schemaName: String {
    // The marks of private types go too.
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
  /// What was found wrong in the document already.
  private let found: [FieldProblem]
  var problems: [FieldProblem] = []

  init(path: FieldPath, found: [FieldProblem] = []) {
    self.path = path
    self.found = found
  }

  /// Whether nothing was found wrong with those fields, nor within them, before the document's own rules.
  public func areRight(_ fields: String...) -> Bool { fields.allSatisfy { !hasFault(FieldPath.key(path, $0).description) } }

  /// Records that a field breaks a rule; one that is at fault already has a placeholder, about which there is nothing to say.
  public mutating func refuse(_ field: String, _ rule: FieldRule) {
    let location = FieldPath.key(path, field).description
    if !hasFault(location) { problems.append(FieldProblem(field: location, rule)) }
  }

  /// Whether something was found at that field, within it, or around it.
  private func hasFault(_ location: String) -> Bool {
    found.contains { $0.field == location || location.isWithin($0.field) || $0.field.isWithin(location) }
  }

  /// Records it unless the condition holds.
  public mutating func expect(_ condition: Bool, _ field: String, _ rule: @autoclosure () -> FieldRule) {
    if !condition { refuse(field, rule()) }
  }
}

extension String {
  /// Whether the field that it names is inside the other.
  func isWithin(_ location: String) -> Bool {
    guard utf8.count > location.utf8.count, begins(with: location) else { return false }
    let next = utf8[utf8.index(utf8.startIndex, offsetBy: location.utf8.count)]
    return next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
  }
}

indirect enum FieldPath: CustomStringConvertible {
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
  /// - Throws: ``Failure`` with code `invalid_json` or `invalid_fields`, the latter naming every field at fault.
  public static func decode(_ bytes: [UInt8], parameters: [String: String] = [:], limits: JSONLimits = JSONLimits())
    throws(Failure) -> Self
  {
    try DocumentDecoder.decode(Self.self, bytes, parameters: parameters, limits: limits)
  }
}
