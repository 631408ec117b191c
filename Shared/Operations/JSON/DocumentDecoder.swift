/// The one strict decoder of the system: every body, parameter, event and header passes through it.
///
/// It never stops at the first bad field: a field that breaks its rule is recorded and replaced by a placeholder, so that the synthesized
/// `init(from:)` continues. If any problem was recorded, the document is refused with all of them. A ``Form`` is refused by its feature.
enum DocumentDecoder {
  static func decode<D: Document>(_ type: D.Type, _ bytes: [UInt8], parameters: [String: String], limits: JSONLimits)
    throws(Failure) -> D
  {
    let tape: JSONTape
    do {
      tape = try JSONTape(bytes.isEmpty ? [0x7B, 0x7D] : bytes, limits: limits)
    } catch {
      throw Failure(error, in: bytes)
    }
    let state = DecodingState(tape, quotes: D.quotes)
    for (name, text) in parameters.sorted(by: { $0.key < $1.key }) {
      if tape.kind == .object, tape.member(name, of: 0) != nil {
        state.report(.key(.root, name), FieldRule("given_twice"))
      } else {
        state.parameters[name] = state.tape.append(lenient: text)
      }
    }
    let document: D
    do {
      document = try state.document(D.self, node: 0, path: .root)
    } catch {
      // Only types that bring their own `init(from:)` throw; their rule is not known, the location is.
      let field = (error as? Misread)?.path.description ?? ""
      let isKnown = state.problems.contains { $0.field == field }
      let own = isKnown ? [] : [FieldProblem(field: field, FieldRule("wrong_type"))]
      throw Failure(RequestFailure.invalidFields, fields: state.problems + own)
    }
    guard !state.problems.isEmpty else { return document }
    // A form that is not an object has nothing to be validated.
    guard var form = document as? any Form, tape.kind == .object else {
      throw Failure(RequestFailure.invalidFields, fields: state.problems)
    }
    form.found = FoundProblems(state.problems)
    guard let validated = form as? D else { throw Failure(RequestFailure.invalidFields, fields: state.problems) }
    return validated
  }
}

/// The location of a field, made into a path only when needed: for a report, or for a document's own fields.
private struct Location {
  let parent: FieldPath
  /// Empty for an element of an array.
  let name: String
  let index: Int

  init(_ parent: FieldPath, _ name: String) {
    self.parent = parent
    self.name = name
    index = -1
  }

  init(_ parent: FieldPath, _ index: Int) {
    self.parent = parent
    self.index = index
    name = ""
  }

  /// The parent's own location, for a value that stands in no further container.
  init(_ path: FieldPath) {
    parent = path
    name = ""
    index = -1
  }

  var path: FieldPath {
    if index >= 0 { return .index(parent, index) }
    return name.isEmpty ? parent : .key(parent, name)
  }
}

/// A value whose own `init(from:)` threw.
private struct Misread: Error {
  let path: FieldPath
}

private final class DecodingState {
  static let maxProblems = 100

  var tape: JSONTape
  /// Nodes of fields given outside the body.
  var parameters: [String: Int] = [:]
  /// The name nodes that some field asked for.
  var visited: [Bool]
  var visitedParameters: Set<String> = []
  private(set) var problems: [FieldProblem] = []

  /// See ``Document/quotes``.
  private let quotes: Bool

  init(_ tape: JSONTape, quotes: Bool) {
    self.tape = tape
    self.quotes = quotes
    visited = Array(repeating: false, count: tape.nodes.count)
  }

  func report(_ location: Location, _ rule: FieldRule) { report(location.path, rule) }

  func report(_ path: FieldPath, _ rule: FieldRule) {
    if problems.count < DecodingState.maxProblems { problems.append(FieldProblem(field: path.description, rule)) }
  }

  /// Reads an object. A negative node stands for a missing document, which gets placeholders without further reports.
  func document<D: Document>(_ type: D.Type, node: Int, path: FieldPath) throws -> D {
    var node = node
    if node >= 0, tape.nodes[node].kind != .object {
      report(path, FieldRule("not_an_object"))
      node = -1
    }
    let before = problems.count
    let document = try D(from: ValueDecoder(state: self, node: node, path: path, notes: D.notes))
    guard node >= 0 else { return document }
    let found = Array(problems[before...])
    var index = node + 1
    for _ in 0..<tape.nodes[node].count {
      if !visited[index] {
        report(.key(path, tape.string(index).beginning(maxBytes: FieldProblem.maxNameBytes)), FieldRule("unknown_field"))
      }
      index = Int(tape.nodes[index + 1].next)
    }
    if node == 0 {
      for name in parameters.keys.sorted() where !visitedParameters.contains(name) {
        report(.key(.root, name.beginning(maxBytes: FieldProblem.maxNameBytes)), FieldRule("unknown_field"))
      }
    }
    // Unknown fields do not affect the others.
    var checks = FieldChecks(path: path, found: found)
    document.check(&checks)
    for problem in checks.problems where problems.count < DecodingState.maxProblems { problems.append(problem) }
    return document
  }

  func value<T: Decodable>(_ type: T.Type, node: Int, location: Location, note: @autoclosure () -> Note?) throws -> T {
    // Types are compared before they are cast: a cast that fails costs more.
    if type == Double.self { return try cast(double(node, location, note())) }
    if type == RawJSON.self { return try cast(RawJSON(node >= 0 ? tape.raw(node) : Array("null".utf8))) }
    if type == String.self { return try cast(string(node, location, note())) }
    if type == Int.self { return try cast(integer(node, location, note())) }
    if type == Bool.self { return try cast(bool(node, location)) }
    if let text = type as? any TextValue.Type { return try cast(textValue(text, node: node, location: location)) }
    let path = location.path
    if let document = type as? any Document.Type { return try cast(anyDocument(document, node: node, path: path)) }
    if node >= 0, type is any ListOfValues.Type, tape.nodes[node].isLenient {
      return try read(type, node: splitList(node), path: path)
    }
    if node >= 0, type is any ListOfValues.Type {
      guard tape.nodes[node].kind == .array else {
        report(path, FieldRule("not_an_array"))
        return try read(type, node: -1, path: path)
      }
      let count = Int(tape.nodes[node].count)
      if let items = note()?.items, !items.contains(count) {
        report(path, FieldRule("wrong_count", ["min": .number(items.lowerBound), "max": .number(items.upperBound)]))
        return try read(type, node: -1, path: path)
      }
    }
    return try read(type, node: node, path: path)
  }

  private func read<T: Decodable>(_ type: T.Type, node: Int, path: FieldPath) throws -> T {
    try locating(path) { try T(from: ValueDecoder(state: self, node: node, path: path, notes: [:])) }
  }

  /// Adds to what a type's own `init(from:)` throws where that was.
  private func locating<T>(_ path: FieldPath, _ read: () throws -> T) throws -> T {
    do {
      return try read()
    } catch let misread as Misread {
      throw misread
    } catch {
      throw Misread(path: path)
    }
  }

  private func cast<A, T>(_ value: A) throws -> T {
    guard let value = value as? T else { throw DecodingError.typeMismatch(T.self, .init(codingPath: [], debugDescription: "")) }
    return value
  }

  private func anyDocument<D: Document>(_ type: D.Type, node: Int, path: FieldPath) throws -> D {
    try locating(path) { try document(type, node: node, path: path) }
  }

  private func textValue<V: TextValue>(_ type: V.Type, node: Int, location: Location) -> V {
    guard node >= 0 else { return V.placeholder }
    let kind = tape.nodes[node].kind
    guard kind == .string || kind == .escapedString else {
      report(location, FieldRule("not_a_string"))
      return V.placeholder
    }
    switch tape.textValue(V.self, node) {
    case .success(let value): return value
    case .failure(let rule):
      report(location, rule)
      return V.placeholder
    }
  }

  /// A query's comma-separated list as an array's node.
  private func splitList(_ node: Int) -> Int {
    let parts = tape.string(node).split(at: ",").map(String.init)
    let own = tape.nodes.count
    tape.nodes.append(.init(kind: .array, start: 0, end: 0, next: 0, count: Int32(parts.count)))
    for part in parts { _ = tape.append(lenient: part) }
    tape.nodes[own].next = Int32(tape.nodes.count)
    return own
  }

  func string(_ node: Int, _ location: Location, _ note: @autoclosure () -> Note?) -> String {
    guard node >= 0 else { return "" }
    let kind = tape.nodes[node].kind
    guard kind == .string || kind == .escapedString else {
      report(location, FieldRule("not_a_string"))
      return ""
    }
    let text = tape.string(node)
    let note = note()
    if let length = note?.length {
      let count = text.count
      if count < length.lowerBound {
        report(location, count == 0 ? FieldRule("empty") : FieldRule("too_short", ["min": .number(length.lowerBound)]))
      } else if count > length.upperBound {
        report(location, FieldRule("too_long", ["max": .number(length.upperBound)]))
      }
    }
    let breaksLines = note?.breaksLines ?? false
    let hasControl =
      !quotes
      && text.utf8.contains { byte in
        byte < 0x20 && !(breaksLines && (byte == 0x0A || byte == 0x09 || byte == 0x0D)) || byte == 0x7F
      }
    if hasControl { report(location, FieldRule("control_character")) }
    return text
  }

  func integer(_ node: Int, _ location: Location, _ note: @autoclosure () -> Note?) -> Int {
    guard node >= 0 else { return 0 }
    guard let value = tape.integer(node) else {
      let range = note()?.range
      // Too large for this machine, but whole.
      if let range, tape.double(node).map({ !range.contains($0) }) ?? (tape.nodes[node].kind == .number) {
        report(location, outOfRange(range))
      } else {
        report(location, FieldRule("not_a_whole_number"))
      }
      return 0
    }
    if let note = note(), !note.isCheckedByFeature, let range = note.range, !range.contains(Double(value)) {
      report(location, outOfRange(range))
    }
    return value
  }

  func double(_ node: Int, _ location: Location, _ note: @autoclosure () -> Note?) -> Double {
    guard node >= 0 else { return 0 }
    guard let value = tape.double(node) else {
      // Too large for this machine, but a number.
      if tape.nodes[node].kind == .number, let range = note()?.range {
        report(location, outOfRange(range))
      } else {
        report(location, FieldRule("not_a_number"))
      }
      return 0
    }
    if let note = note(), !note.isCheckedByFeature, let range = note.range, !range.contains(value) {
      report(location, outOfRange(range))
    }
    return value
  }

  func bool(_ node: Int, _ location: Location) -> Bool {
    guard node >= 0 else { return false }
    guard let value = tape.bool(node) else {
      report(location, FieldRule("not_a_truth_value"))
      return false
    }
    return value
  }

  private func outOfRange(_ range: ClosedRange<Double>) -> FieldRule {
    func limit(_ value: Double) -> Parameter { Int(exactly: value).map { .number($0) } ?? .decimal(value) }
    return FieldRule("out_of_range", ["min": limit(range.lowerBound), "max": limit(range.upperBound)])
  }
}

/// Arrays, distinguished from other generic types.
protocol ListOfValues {}
extension Array: ListOfValues {}

private struct ValueDecoder: Decoder {
  let state: DecodingState
  let node: Int
  let path: FieldPath
  let notes: Notes

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedValues<Key>(state: state, node: node, path: path, notes: notes))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { ListedValues(state: state, node: node, path: path) }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleValue(state: state, node: node, path: path) }
}

private struct KeyedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let state: DecodingState
  let node: Int
  let path: FieldPath
  let notes: Notes

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] {
    guard node >= 0, state.tape.nodes[node].kind == .object else { return [] }
    var keys: [Key] = []
    var index = node + 1
    for _ in 0..<state.tape.nodes[node].count {
      state.visited[index] = true
      if let key = Key(stringValue: state.tape.string(index)) { keys.append(key) }
      index = Int(state.tape.nodes[index + 1].next)
    }
    return keys
  }

  private func find(_ key: Key) -> Int? {
    guard node >= 0 else { return nil }
    let name = key.stringValue
    if let value = state.tape.member(name, of: node) {
      state.visited[value - 1] = true
      return value
    }
    guard node == 0, let value = state.parameters[name] else { return nil }
    state.visitedParameters.insert(name)
    return value
  }

  /// The field's node. A missing field is reported and stands as -1.
  private func required(_ key: Key) -> Int {
    guard node >= 0 else { return -1 }
    guard let value = find(key), !state.tape.isNull(value) else {
      state.report(Location(path, key.stringValue).path, FieldRule("required"))
      return -1
    }
    return value
  }

  /// The field's node, if it has a value. Null is reported.
  private func optional(_ key: Key) -> Int? {
    guard let value = find(key) else { return nil }
    guard state.tape.isNull(value) else { return value }
    state.report(Location(path, key.stringValue), FieldRule("null"))
    return nil
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }
  func decodeNil(forKey key: Key) -> Bool { find(key).map { state.tape.isNull($0) } ?? true }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try state.value(type, node: required(key), location: Location(path, key.stringValue), note: notes[key.stringValue])
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let value = optional(key) else { return nil }
    return try state.value(type, node: value, location: Location(path, key.stringValue), note: notes[key.stringValue])
  }

  func decode(_ type: String.Type, forKey key: Key) -> String {
    state.string(required(key), Location(path, key.stringValue), notes[key.stringValue])
  }

  func decode(_ type: Int.Type, forKey key: Key) -> Int {
    state.integer(required(key), Location(path, key.stringValue), notes[key.stringValue])
  }

  func decode(_ type: Double.Type, forKey key: Key) -> Double {
    state.double(required(key), Location(path, key.stringValue), notes[key.stringValue])
  }

  func decode(_ type: Bool.Type, forKey key: Key) -> Bool { state.bool(required(key), Location(path, key.stringValue)) }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let value = optional(key) else { return nil }
    return state.string(value, Location(path, key.stringValue), notes[key.stringValue])
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    guard let value = optional(key) else { return nil }
    return state.integer(value, Location(path, key.stringValue), notes[key.stringValue])
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    guard let value = optional(key) else { return nil }
    return state.double(value, Location(path, key.stringValue), notes[key.stringValue])
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    guard let value = optional(key) else { return nil }
    return state.bool(value, Location(path, key.stringValue))
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(KeyedValues<Nested>(state: state, node: required(key), path: .key(path, key.stringValue), notes: [:]))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
    ListedValues(state: state, node: required(key), path: .key(path, key.stringValue))
  }

  func superDecoder() -> any Decoder { ValueDecoder(state: state, node: node, path: path, notes: notes) }
  func superDecoder(forKey key: Key) -> any Decoder {
    ValueDecoder(state: state, node: required(key), path: .key(path, key.stringValue), notes: [:])
  }
}

private struct ListedValues: UnkeyedDecodingContainer {
  let state: DecodingState
  let path: FieldPath
  let count: Int?
  private(set) var currentIndex = 0
  private var next: Int

  var codingPath: [any CodingKey] { [] }
  var isAtEnd: Bool { currentIndex >= (count ?? 0) }

  init(state: DecodingState, node: Int, path: FieldPath) {
    self.state = state
    self.path = path
    let isArray = node >= 0 && state.tape.nodes[node].kind == .array
    count = isArray ? Int(state.tape.nodes[node].count) : 0
    next = node + 1
  }

  private mutating func advance() -> (node: Int, location: Location) {
    let result = (next, Location(path, currentIndex))
    next = Int(state.tape.nodes[next].next)
    currentIndex += 1
    return result
  }

  mutating func decodeNil() -> Bool {
    guard !isAtEnd, state.tape.isNull(next) else { return false }
    _ = advance()
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let (node, location) = advance()
    return try state.value(type, node: node, location: location, note: nil)
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
    let (node, location) = advance()
    return KeyedDecodingContainer(KeyedValues<Nested>(state: state, node: node, path: location.path, notes: [:]))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
    let (node, location) = advance()
    return ListedValues(state: state, node: node, path: location.path)
  }

  mutating func superDecoder() -> any Decoder {
    let (node, location) = advance()
    return ValueDecoder(state: state, node: node, path: location.path, notes: [:])
  }
}

private struct SingleValue: SingleValueDecodingContainer {
  let state: DecodingState
  let node: Int
  let path: FieldPath

  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { node < 0 || state.tape.isNull(node) }
  func decode(_ type: Int.Type) throws -> Int {
    guard node >= 0, let value = state.tape.integer(node) else {
      throw DecodingError.typeMismatch(Int.self, .init(codingPath: [], debugDescription: "\(path)"))
    }
    return value
  }
  func decode(_ type: Double.Type) throws -> Double {
    guard node >= 0, let value = state.tape.double(node) else {
      throw DecodingError.typeMismatch(Double.self, .init(codingPath: [], debugDescription: "\(path)"))
    }
    return value
  }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try state.value(type, node: node, location: Location(path), note: nil) }
}
