/// A JSON value with its members in the order written: for documents made by hand, such as schemas.
public enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case integer(Int)
  case string(String)
  case array([JSON])
  case object([Member])

  /// One name and value of an object.
  public struct Member: Hashable, Sendable {
    public let name: String
    public let value: JSON

    public init(name: String, value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// The value of an object's member with that name.
  public subscript(name: String) -> JSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { $0.name == name }?.value
    }
    set {
      guard case .object(var members) = self else { return }
      let index = members.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index] = Member(name: name, value: value)
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
      self = .object(members)
    }
  }

  /// The value as compact JSON text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The value as compact JSON text in UTF-8.
  public var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByFloatLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements.map { Member(name: $0.0, value: $0.1) }) }
}

/// Writes JSON text into bytes.
public struct JSONWriter: Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func write(_ value: JSON) {
    switch value {
    case .null: raw("null")
    case .bool(let value): raw(value ? "true" : "false")
    case .number(let value): number(value)
    case .integer(let value): integer(value)
    case .string(let value): string(value)
    case .array(let elements):
      byte("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { byte(",") }
        write(element)
      }
      byte("]")
    case .object(let members):
      byte("{")
      for (index, member) in members.enumerated() {
        if index > 0 { byte(",") }
        string(member.name)
        byte(":")
        write(member.value)
      }
      byte("}")
    }
  }

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func byte(_ scalar: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: scalar.value)) }

  mutating func raw(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends text that is already JSON.
  public mutating func json(_ text: some Sequence<UInt8>) { bytes.append(contentsOf: text) }

  mutating func integer(_ value: some BinaryInteger) {
    if value >= 0 && value < 10 {
      bytes.append(0x30 + UInt8(truncatingIfNeeded: value))
    } else {
      bytes.append(contentsOf: String(value).utf8)
    }
  }

  mutating func number(_ value: Double) {
    guard value.isFinite else {
      raw("null")
      return
    }
    if value == value.rounded(), abs(value) < 1e15 {
      integer(Int64(value))
    } else {
      bytes.append(contentsOf: value.description.utf8)
    }
  }

  /// Appends a string with its quotes, escaped as RFC 8259 requires.
  public mutating func string(_ text: String) {
    byte("\"")
    var text = text
    text.withUTF8 { utf8 in
      var start = 0
      for index in utf8.indices {
        let byte = utf8[index]
        if byte >= 0x20 && byte != 0x22 && byte != 0x5C { continue }
        bytes.append(contentsOf: utf8[start..<index])
        start = index + 1
        switch byte {
        case 0x22: bytes.append(contentsOf: [0x5C, 0x22])
        case 0x5C: bytes.append(contentsOf: [0x5C, 0x5C])
        case 0x0A: bytes.append(contentsOf: [0x5C, 0x6E])
        case 0x0D: bytes.append(contentsOf: [0x5C, 0x72])
        case 0x09: bytes.append(contentsOf: [0x5C, 0x74])
        default:
          let digits = Array("0123456789abcdef".utf8)
          bytes.append(contentsOf: [0x5C, 0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 0xF)]])
        }
      }
      bytes.append(contentsOf: utf8[start...])
    }
    byte("\"")
  }
}
