/// Writes a document as compact JSON in one pass, with its fields in the order of declaration and without absent optionals.
enum DocumentEncoder {
  static func encode(_ document: some Document) -> [UInt8] {
    let output = Output()
    output.write(document)
    return output.writer.bytes
  }
}

private final class Output {
  var writer = JSONWriter()
  /// The bracket opened for the value being written, and whether it is still empty.
  private var bracket: UInt8 = 0
  private var isEmpty = true

  func separate() {
    if isEmpty { isEmpty = false } else { writer.byte(",") }
  }

  func open(_ scalar: Unicode.Scalar) {
    guard bracket == 0 else { return }
    bracket = UInt8(truncatingIfNeeded: scalar.value)
    writer.byte(scalar)
    isEmpty = true
  }

  func write(_ flag: Bool) { writer.raw(flag ? "true" : "false") }

  /// Types are compared before they are cast: most values are of none of these, and a cast that fails costs more.
  func write<Value: Encodable>(_ value: Value) {
    if Value.self == String.self, let text = value as? String {
      writer.string(text)
    } else if Value.self == Int.self, let number = value as? Int {
      writer.integer(number)
    } else if Value.self == Bool.self, let flag = value as? Bool {
      write(flag)
    } else if Value.self == Double.self, let number = value as? Double {
      writer.number(number)
    } else if Value.self == RawJSON.self, let raw = value as? RawJSON {
      writer.json(raw.bytes)
    } else if let text = value as? any TextValue {
      writer.string(text.description)
    } else {
      let outer = (bracket, isEmpty)
      (bracket, isEmpty) = (0, true)
      do {
        try value.encode(to: ValueEncoder(output: self))
      } catch {
        // Documents hold only values that have a JSON form; a type that refuses to be encoded is a programming error.
        preconditionFailure("\(type(of: value)) cannot be encoded: \(error)")
      }
      switch bracket {
      case UInt8(ascii: "{"): writer.byte("}")
      case UInt8(ascii: "["): writer.byte("]")
      case UInt8(ascii: "v"): break
      default: writer.raw("{}")
      }
      (bracket, isEmpty) = outer
    }
  }

  /// Marks that the value writes itself without brackets.
  func single() { bracket = UInt8(ascii: "v") }
}

private struct ValueEncoder: Encoder {
  let output: Output
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    output.open("{")
    return KeyedEncodingContainer(KeyedValues<Key>(output: output))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    output.open("[")
    return ListedValues(output: output)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    output.single()
    return SingleValue(output: output)
  }
}

private struct KeyedValues<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let output: Output
  var codingPath: [any CodingKey] { [] }

  private func name(_ key: Key) {
    output.separate()
    output.writer.string(key.stringValue)
    output.writer.byte(":")
  }

  mutating func encodeNil(forKey key: Key) {
    name(key)
    output.writer.raw("null")
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) {
    name(key)
    output.write(value)
  }

  mutating func encode(_ value: String, forKey key: Key) {
    name(key)
    output.writer.string(value)
  }

  mutating func encode(_ value: Int, forKey key: Key) {
    name(key)
    output.writer.integer(value)
  }

  mutating func encode(_ value: Bool, forKey key: Key) {
    name(key)
    output.write(value)
  }

  mutating func encode(_ value: Double, forKey key: Key) {
    name(key)
    output.writer.number(value)
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    preconditionFailure("documents nest by value, not by container")
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    preconditionFailure("documents nest by value, not by container")
  }

  mutating func superEncoder() -> any Encoder { ValueEncoder(output: output) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { ValueEncoder(output: output) }
}

private struct ListedValues: UnkeyedEncodingContainer {
  let output: Output
  var codingPath: [any CodingKey] { [] }
  private(set) var count = 0

  init(output: Output) { self.output = output }

  mutating func encodeNil() {
    output.separate()
    output.writer.raw("null")
    count += 1
  }

  mutating func encode<T: Encodable>(_ value: T) {
    output.separate()
    output.write(value)
    count += 1
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    preconditionFailure("documents nest by value, not by container")
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    preconditionFailure("documents nest by value, not by container")
  }

  mutating func superEncoder() -> any Encoder { ValueEncoder(output: output) }
}

private struct SingleValue: SingleValueEncodingContainer {
  let output: Output
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() { output.writer.raw("null") }
  mutating func encode<T: Encodable>(_ value: T) { output.write(value) }
}
