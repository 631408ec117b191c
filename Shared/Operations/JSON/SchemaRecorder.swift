/// The JSON Schemas (draft 2020-12, as OpenAPI 3.1 uses it) of documents, recorded by letting each `init(from:)` ask for its fields.
public struct Schemas: Sendable {
  /// Schema of each document seen, by its component name, in the order of first use.
  public private(set) var components: [(name: String, schema: JSON)] = []

  public init() {}

  /// Records a document and all documents it contains; returns the reference to it.
  public mutating func reference(to type: any Document.Type) -> JSON {
    let recorder = Recorder(self)
    let reference = recorder.reference(to: type)
    self = recorder.schemas
    return reference
  }

  fileprivate mutating func reserve(_ name: String) -> Int? {
    guard !components.contains(where: { $0.name == name }) else { return nil }
    components.append((name, .null))
    return components.count - 1
  }

  fileprivate mutating func fill(_ index: Int, _ schema: JSON) { components[index].schema = schema }
}

private final class Recorder {
  var schemas: Schemas

  init(_ schemas: Schemas) { self.schemas = schemas }

  func reference<D: Document>(to type: D.Type) -> JSON {
    let name = D.schemaName
    if let index = schemas.reserve(name) { schemas.fill(index, object(type)) }
    return ["$ref": .string("#/components/schemas/\(name)")]
  }

  private func object<D: Document>(_ type: D.Type) -> JSON {
    let fields = RecordedFields()
    do {
      _ = try D(from: RecordingDecoder(recorder: self, fields: fields, list: nil))
    } catch {
      preconditionFailure("\(type) is not a plain document: \(error)")
    }
    var properties: [JSON.Member] = []
    for field in fields.all {
      var schema = field.schema
      if let note = D.notes[field.name] { schema = Recorder.annotate(schema, note) }
      properties.append(.init(name: field.name, value: schema))
    }
    var result: JSON = ["type": "object", "properties": .object(properties)]
    let required = fields.all.filter(\.isRequired).map { JSON.string($0.name) }
    if !required.isEmpty { result["required"] = .array(required) }
    result["additionalProperties"] = false
    return result
  }

  private static func annotate(_ schema: JSON, _ note: Note) -> JSON {
    var schema = schema
    schema["description"] = .string(note.text)
    if let range = note.range {
      schema["minimum"] = bound(range.lowerBound)
      schema["maximum"] = bound(range.upperBound)
    }
    if let length = note.length {
      schema["minLength"] = .integer(length.lowerBound)
      schema["maxLength"] = .integer(length.upperBound)
    }
    if let items = note.items {
      schema["minItems"] = .integer(items.lowerBound)
      schema["maxItems"] = .integer(items.upperBound)
    }
    if let example = note.example { schema["examples"] = .array([example]) }
    return schema
  }

  /// The schema extended to accept null.
  static func nullable(_ schema: JSON) -> JSON {
    guard case .string(let type) = schema["type"], schema["enum"] == nil else { return ["anyOf": [schema, ["type": "null"]]] }
    var schema = schema
    schema["type"] = [.string(type), "null"]
    return schema
  }

  private static func bound(_ value: Double) -> JSON { Int(exactly: value).map { .integer($0) } ?? .number(value) }

  /// The schema of a field's type, and a value that lets the calling `init(from:)` continue.
  func value<T: Decodable>(_ type: T.Type) throws -> (schema: JSON, value: T) {
    switch type {
    case let text as any TextValue.Type: return (text.schema, try Recorder.cast(text.placeholder))
    case let document as any Document.Type:
      let schema = reference(to: document)
      return (schema, try T(from: RecordingDecoder(recorder: self, fields: RecordedFields(), list: nil)))
    case is String.Type: return (["type": "string"], try Recorder.cast(""))
    case is Int.Type: return (["type": "integer", "format": "int64"], try Recorder.cast(0))
    case is Double.Type: return (["type": "number", "format": "double"], try Recorder.cast(0.0))
    case is Bool.Type: return (["type": "boolean"], try Recorder.cast(false))
    case is Parameter.Type: return (["type": ["string", "number"]], try Recorder.cast(Parameter.number(0)))
    case is [String: Parameter].Type:
      return (
        ["type": "object", "additionalProperties": ["type": ["string", "number"]]], try Recorder.cast([String: Parameter]())
      )
    default:
      let list = RecordedList()
      let value = try T(from: RecordingDecoder(recorder: self, fields: RecordedFields(), list: list))
      guard let items = list.items else { preconditionFailure("\(type) has no schema") }
      return (["type": "array", "items": items], value)
    }
  }

  private static func cast<A, T>(_ value: A) throws -> T {
    guard let value = value as? T else { throw DecodingError.typeMismatch(T.self, .init(codingPath: [], debugDescription: "")) }
    return value
  }
}

private final class RecordedFields {
  private(set) var all: [(name: String, schema: JSON, isRequired: Bool)] = []
  private var nullable: Set<String> = []

  func add(_ name: String, _ schema: JSON, isRequired: Bool) {
    all.append((name, nullable.contains(name) ? Recorder.nullable(schema) : schema, isRequired))
  }

  /// Records that the field may be null.
  func allowNull(_ name: String) { nullable.insert(name) }
}

private final class RecordedList {
  var items: JSON?
}

private struct RecordingDecoder: Decoder {
  let recorder: Recorder
  let fields: RecordedFields
  let list: RecordedList?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RecordingKeys<Key>(recorder: recorder, fields: fields))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { RecordingList(recorder: recorder, list: list) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a document has fields"))
  }
}

private struct RecordingKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let recorder: Recorder
  let fields: RecordedFields

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }

  /// Only fields that accept null ask for this.
  func decodeNil(forKey key: Key) -> Bool {
    fields.allowNull(key.stringValue)
    return false
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let (schema, value) = try recorder.value(type)
    fields.add(key.stringValue, schema, isRequired: true)
    return value
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    let (schema, value) = try recorder.value(type)
    fields.add(key.stringValue, schema, isRequired: false)
    return value
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }

  private func optional<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
    let (schema, value) = try recorder.value(type)
    fields.add(key.stringValue, schema, isRequired: false)
    return value
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
    preconditionFailure("documents nest by value, not by container")
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    preconditionFailure("documents nest by value, not by container")
  }
  func superDecoder() throws -> any Decoder { RecordingDecoder(recorder: recorder, fields: fields, list: nil) }
  func superDecoder(forKey key: Key) throws -> any Decoder { RecordingDecoder(recorder: recorder, fields: fields, list: nil) }
}

/// An array of exactly one element, whose schema is that of the array's items.
private struct RecordingList: UnkeyedDecodingContainer {
  let recorder: Recorder
  let list: RecordedList?

  var codingPath: [any CodingKey] { [] }
  var count: Int? { 1 }
  private(set) var currentIndex = 0
  var isAtEnd: Bool { currentIndex > 0 }

  init(recorder: Recorder, list: RecordedList?) {
    self.recorder = recorder
    self.list = list
  }

  mutating func decodeNil() -> Bool { false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    currentIndex += 1
    let (schema, value) = try recorder.value(type)
    list?.items = schema
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    preconditionFailure("documents nest by value, not by container")
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    preconditionFailure("documents nest by value, not by container")
  }
  mutating func superDecoder() throws -> any Decoder {
    RecordingDecoder(recorder: recorder, fields: RecordedFields(), list: nil)
  }
}
