/// Why bytes are not acceptable JSON, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable {
  public enum Reason: String, Sendable {
    case tooLarge = "json_too_large"
    case tooDeep = "json_too_deep"
    case duplicateKey = "json_duplicate_key"
    case invalidUTF8 = "json_invalid_utf8"
    /// An escape for half of a surrogate pair, without the other half.
    case loneSurrogate = "json_lone_surrogate"
    case malformed = "json_malformed"
  }
  public let reason: Reason
  /// Position of the offending byte.
  public let offset: Int
  /// The repeated name, for ``Reason/duplicateKey``.
  public let key: String?
}

/// Limits of the strict parser.
public struct JSONLimits: Sendable {
  public var bytes: Int
  public var depth: Int

  public init(bytes: Int = 1_048_576, depth: Int = 64) {
    self.bytes = bytes
    self.depth = depth
  }
}

/// Parsed JSON as a flat list of nodes over the original bytes; strings and numbers are read only on demand.
///
/// The parser is strict: RFC 8259 to the letter, valid UTF-8, no duplicate names in an object, bounded size and depth.
public struct JSONTape: Sendable {
  public enum Kind: UInt8, Sendable {
    case null, `true`, `false`, number, string, escapedString, array, object
  }

  struct Node: Sendable {
    var kind: Kind
    /// Made from a path or query parameter: a number or truth value may be read from the text.
    var isLenient = false
    /// Range of the text: inside the quotes for strings, the whole value otherwise.
    var start: Int32
    var end: Int32
    /// Index of the first node after this value.
    var next: Int32
    /// Elements of an array, members of an object.
    var count: Int32
  }

  var nodes: [Node] = []
  private(set) var bytes: [UInt8]

  /// Parses one value, surrounded by nothing but white space.
  public init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
    guard bytes.count <= limits.bytes else { throw JSONSyntaxError(reason: .tooLarge, offset: limits.bytes, key: nil) }
    self.bytes = bytes
    var parser = Parser(depth: limits.depth)
    parser.nodes.reserveCapacity(bytes.count / 8 + 4)
    let failure: JSONSyntaxError? = bytes.withUnsafeBufferPointer { buffer in
      do throws(JSONSyntaxError) {
        var position = 0
        try parser.value(buffer, &position, depth: 0)
        Parser.skipSpace(buffer, &position)
        guard position == buffer.count else { throw Parser.malformed(position) }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    nodes = parser.nodes
  }

  /// Kind of the outermost value.
  public var kind: Kind { nodes[0].kind }

  /// Adds a string that is not part of the text, and returns its node.
  mutating func append(lenient text: String) -> Int {
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    nodes.append(
      Node(kind: .string, isLenient: true, start: Int32(start), end: Int32(bytes.count), next: Int32(nodes.count + 1), count: 0))
    return nodes.count - 1
  }

  func string(_ index: Int) -> String {
    let node = nodes[index]
    let range = Int(node.start)..<Int(node.end)
    if node.kind == .escapedString { return JSONTape.unescape(bytes[range]) }
    return bytes.withUnsafeBufferPointer { String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self) }
  }

  /// A string read as that type.
  func textValue<Value: TextValue>(_ type: Value.Type, _ index: Int) -> Result<Value, FieldRule> {
    let node = nodes[index]
    do throws(FieldRule) {
      if node.kind == .escapedString { return .success(try Value(text: string(index))) }
      return bytes.withUnsafeBufferPointer { buffer in
        do throws(FieldRule) {
          return .success(try Value(utf8: UnsafeBufferPointer(rebasing: buffer[Int(node.start)..<Int(node.end)])))
        } catch {
          return .failure(error)
        }
      }
    } catch {
      return .failure(error)
    }
  }

  func text(_ index: Int) -> Substring {
    Substring(String(decoding: bytes[Int(nodes[index].start)..<Int(nodes[index].end)], as: UTF8.self))
  }

  /// A whole number, if the node is one and it fits: digits only, no fraction, no exponent.
  func integer(_ index: Int) -> Int? {
    let node = nodes[index]
    guard node.kind == .number || node.isLenient else { return nil }
    return bytes.withUnsafeBufferPointer { buffer in
      var position = Int(node.start)
      let end = Int(node.end)
      var isNegative = false
      if position < end, buffer[position] == UInt8(ascii: "-") {
        isNegative = true
        position += 1
      }
      guard position < end else { return nil }
      var value = 0
      while position < end {
        let digit = buffer[position] &- 0x30
        guard digit < 10 else { return nil }
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflow2) = product.subtractingReportingOverflow(Int(digit))
        if overflow || overflow2 { return nil }
        value = sum
        position += 1
      }
      if isNegative { return value }
      return value == .min ? nil : -value
    }
  }

  func double(_ index: Int) -> Double? {
    let node = nodes[index]
    guard node.kind == .number || node.isLenient, let value = Double(text(index)), value.isFinite else { return nil }
    return value
  }

  func bool(_ index: Int) -> Bool? {
    switch nodes[index].kind {
    case .true: return true
    case .false: return false
    case .string where nodes[index].isLenient:
      let text = text(index)
      return text == "true" ? true : text == "false" ? false : nil
    default: return nil
    }
  }

  func isNull(_ index: Int) -> Bool { nodes[index].kind == .null }

  /// The value of an object's member: the names and values alternate after the object's own node.
  func member(_ name: String, of object: Int) -> Int? {
    var name = name
    return name.withUTF8 { wanted in
      bytes.withUnsafeBufferPointer { buffer in
        var index = object + 1
        for _ in 0..<nodes[object].count {
          let key = nodes[index]
          let value = index + 1
          if key.kind == .string {
            let length = Int(key.end - key.start)
            if length == wanted.count, (0..<length).allSatisfy({ buffer[Int(key.start) + $0] == wanted[$0] }) { return value }
          } else if Array(string(index).utf8).elementsEqual(wanted) {
            return value
          }
          index = Int(nodes[value].next)
        }
        return nil
      }
    }
  }

  /// The original text of a member of the outermost object, to be passed on unread.
  public func rawMember(_ name: String) -> [UInt8]? {
    guard kind == .object, let index = member(name, of: 0) else { return nil }
    return raw(index)
  }

  func raw(_ index: Int) -> [UInt8] {
    let node = nodes[index]
    let isString = node.kind == .string || node.kind == .escapedString
    return Array(bytes[Int(node.start) - (isString ? 1 : 0)..<Int(node.end) + (isString ? 1 : 0)])
  }

  /// Names of the members of the outermost object, in the order written.
  public var memberNames: [String] {
    guard kind == .object else { return [] }
    var names: [String] = []
    var index = 1
    for _ in 0..<nodes[0].count {
      names.append(string(index))
      index = Int(nodes[index + 1].next)
    }
    return names
  }

  /// The original text of each element of the outermost array.
  public var rawElements: [[UInt8]] {
    guard kind == .array else { return [] }
    var result: [[UInt8]] = []
    var index = 1
    for _ in 0..<nodes[0].count {
      result.append(raw(index))
      index = Int(nodes[index].next)
    }
    return result
  }

  /// The whole value as ``JSON``.
  public var json: JSON { json(0) }

  func json(_ index: Int) -> JSON {
    let node = nodes[index]
    switch node.kind {
    case .null: return .null
    case .true: return .bool(true)
    case .false: return .bool(false)
    case .number: return integer(index).map { .integer($0) } ?? .number(double(index) ?? .nan)
    case .string, .escapedString: return .string(string(index))
    case .array:
      var elements: [JSON] = []
      var child = index + 1
      for _ in 0..<node.count {
        elements.append(json(child))
        child = Int(nodes[child].next)
      }
      return .array(elements)
    case .object:
      var members: [JSON.Member] = []
      var child = index + 1
      for _ in 0..<node.count {
        members.append(JSON.Member(name: string(child), value: json(child + 1)))
        child = Int(nodes[child + 1].next)
      }
      return .object(members)
    }
  }

  static func unescape(_ raw: ArraySlice<UInt8>) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(raw.count)
    var index = raw.startIndex
    func hex(_ at: Int) -> UInt32 {
      raw[at..<at + 4].reduce(0) { value, byte in value << 4 | UInt32(byte < 0x3A ? byte - 0x30 : (byte | 0x20) - 0x57) }
    }
    while index < raw.endIndex {
      guard raw[index] == 0x5C else {
        result.append(raw[index])
        index += 1
        continue
      }
      let escape = raw[index + 1]
      index += 2
      switch escape {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        var code = hex(index)
        index += 4
        if code & 0xFC00 == 0xD800 {
          code = 0x10000 + ((code & 0x3FF) << 10 | hex(index + 2) & 0x3FF)
          index += 6
        }
        result.append(contentsOf: Array(String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8))
      default: result.append(escape)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// The recursive-descent parser of ``JSONTape``; the depth limit bounds the recursion.
private struct Parser {
  typealias Buffer = UnsafeBufferPointer<UInt8>

  let depth: Int
  var nodes: [JSONTape.Node] = []

  init(depth: Int) { self.depth = depth }

  static func malformed(_ offset: Int) -> JSONSyntaxError { JSONSyntaxError(reason: .malformed, offset: offset, key: nil) }

  @inline(__always)
  static func skipSpace(_ buffer: Buffer, _ position: inout Int) {
    while position < buffer.count {
      switch buffer[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  mutating func value(_ buffer: Buffer, _ position: inout Int, depth level: Int) throws(JSONSyntaxError) {
    Parser.skipSpace(buffer, &position)
    guard position < buffer.count else { throw Parser.malformed(position) }
    switch buffer[position] {
    case UInt8(ascii: "{"): try object(buffer, &position, depth: level + 1)
    case UInt8(ascii: "["): try array(buffer, &position, depth: level + 1)
    case UInt8(ascii: "\""): try string(buffer, &position)
    case UInt8(ascii: "t"): try word("true", .true, buffer, &position)
    case UInt8(ascii: "f"): try word("false", .false, buffer, &position)
    case UInt8(ascii: "n"): try word("null", .null, buffer, &position)
    default: try number(buffer, &position)
    }
  }

  mutating func append(_ kind: JSONTape.Kind, _ start: Int, _ end: Int) {
    nodes.append(.init(kind: kind, start: Int32(start), end: Int32(end), next: Int32(nodes.count + 1), count: 0))
  }

  mutating func word(_ word: StaticString, _ kind: JSONTape.Kind, _ buffer: Buffer, _ position: inout Int) throws(JSONSyntaxError)
  {
    let length = word.utf8CodeUnitCount
    guard position + length <= buffer.count, (0..<length).allSatisfy({ buffer[position + $0] == word.utf8Start[$0] }) else {
      throw Parser.malformed(position)
    }
    append(kind, position, position + length)
    position += length
  }

  mutating func number(_ buffer: Buffer, _ position: inout Int) throws(JSONSyntaxError) {
    let start = position
    func digits() -> Bool {
      let first = position
      while position < buffer.count, buffer[position] &- 0x30 < 10 { position += 1 }
      return position > first
    }
    func take(_ byte: UInt8) -> Bool {
      guard position < buffer.count, buffer[position] == byte else { return false }
      position += 1
      return true
    }
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { guard digits() else { throw Parser.malformed(position) } }
    if take(UInt8(ascii: ".")) { guard digits() else { throw Parser.malformed(position) } }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard digits() else { throw Parser.malformed(position) }
    }
    append(.number, start, position)
  }

  mutating func string(_ buffer: Buffer, _ position: inout Int) throws(JSONSyntaxError) {
    position += 1
    let start = position
    var isEscaped = false
    while position < buffer.count {
      let byte = buffer[position]
      switch byte {
      case 0x22:
        append(isEscaped ? .escapedString : .string, start, position)
        position += 1
        return
      case 0x5C:
        isEscaped = true
        try escape(buffer, &position)
      case 0..<0x20: throw Parser.malformed(position)
      case 0x20..<0x80: position += 1
      default: try multibyte(buffer, &position)
      }
    }
    throw Parser.malformed(position)
  }

  private func escape(_ buffer: Buffer, _ position: inout Int) throws(JSONSyntaxError) {
    guard position + 1 < buffer.count else { throw Parser.malformed(position) }
    switch buffer[position + 1] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: position += 2
    case UInt8(ascii: "u"):
      let code = try hex(buffer, position + 2)
      if code & 0xFC00 == 0xD800 {
        guard position + 7 < buffer.count, buffer[position + 6] == 0x5C, buffer[position + 7] == UInt8(ascii: "u"),
          try hex(buffer, position + 8) & 0xFC00 == 0xDC00
        else { throw JSONSyntaxError(reason: .loneSurrogate, offset: position, key: nil) }
        position += 12
      } else if code & 0xFC00 == 0xDC00 {
        throw JSONSyntaxError(reason: .loneSurrogate, offset: position, key: nil)
      } else {
        position += 6
      }
    default: throw Parser.malformed(position)
    }
  }

  private func hex(_ buffer: Buffer, _ start: Int) throws(JSONSyntaxError) -> UInt32 {
    guard start + 4 <= buffer.count else { throw Parser.malformed(start) }
    var value: UInt32 = 0
    for index in start..<start + 4 {
      switch buffer[index] {
      case 0x30...0x39: value = value << 4 | UInt32(buffer[index] - 0x30)
      case 0x41...0x46: value = value << 4 | UInt32(buffer[index] - 0x37)
      case 0x61...0x66: value = value << 4 | UInt32(buffer[index] - 0x57)
      default: throw Parser.malformed(index)
      }
    }
    return value
  }

  /// One well-formed sequence of two to four bytes (RFC 3629, section 4).
  private func multibyte(_ buffer: Buffer, _ position: inout Int) throws(JSONSyntaxError) {
    let lead = buffer[position]
    let second: ClosedRange<UInt8>
    let length: Int
    switch lead {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEC, 0xEE, 0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw JSONSyntaxError(reason: .invalidUTF8, offset: position, key: nil)
    }
    guard position + length <= buffer.count, second.contains(buffer[position + 1]),
      (2..<length).allSatisfy({ buffer[position + $0] & 0xC0 == 0x80 })
    else { throw JSONSyntaxError(reason: .invalidUTF8, offset: position, key: nil) }
    position += length
  }

  mutating func array(_ buffer: Buffer, _ position: inout Int, depth level: Int) throws(JSONSyntaxError) {
    guard level <= depth else { throw JSONSyntaxError(reason: .tooDeep, offset: position, key: nil) }
    let start = position
    let own = nodes.count
    append(.array, start, start)
    position += 1
    var count: Int32 = 0
    Parser.skipSpace(buffer, &position)
    if position < buffer.count, buffer[position] == UInt8(ascii: "]") {
      position += 1
    } else {
      while true {
        try value(buffer, &position, depth: level)
        count += 1
        if try end(UInt8(ascii: "]"), buffer, &position) { break }
      }
    }
    close(own, count, position)
  }

  mutating func object(_ buffer: Buffer, _ position: inout Int, depth level: Int) throws(JSONSyntaxError) {
    guard level <= depth else { throw JSONSyntaxError(reason: .tooDeep, offset: position, key: nil) }
    let start = position
    let own = nodes.count
    append(.object, start, start)
    position += 1
    var count: Int32 = 0
    var names = NameSet()
    Parser.skipSpace(buffer, &position)
    if position < buffer.count, buffer[position] == UInt8(ascii: "}") {
      position += 1
    } else {
      while true {
        Parser.skipSpace(buffer, &position)
        guard position < buffer.count, buffer[position] == UInt8(ascii: "\"") else { throw Parser.malformed(position) }
        let nameStart = position
        try string(buffer, &position)
        try names.insert(nodes[nodes.count - 1], buffer, at: nameStart)
        Parser.skipSpace(buffer, &position)
        guard position < buffer.count, buffer[position] == UInt8(ascii: ":") else { throw Parser.malformed(position) }
        position += 1
        try value(buffer, &position, depth: level)
        count += 1
        if try end(UInt8(ascii: "}"), buffer, &position) { break }
      }
    }
    close(own, count, position)
  }

  private func end(_ bracket: UInt8, _ buffer: Buffer, _ position: inout Int) throws(JSONSyntaxError) -> Bool {
    Parser.skipSpace(buffer, &position)
    guard position < buffer.count else { throw Parser.malformed(position) }
    switch buffer[position] {
    case UInt8(ascii: ","):
      position += 1
      return false
    case bracket:
      position += 1
      return true
    default: throw Parser.malformed(position)
    }
  }

  private mutating func close(_ own: Int, _ count: Int32, _ end: Int) {
    nodes[own].count = count
    nodes[own].next = Int32(nodes.count)
    nodes[own].end = Int32(end)
  }
}

/// The names seen in one object: compared one by one while few, hashed when many.
private struct NameSet {
  private var few: [(start: Int32, end: Int32)] = []
  private var many: Set<[UInt8]>?

  mutating func insert(_ node: JSONTape.Node, _ buffer: UnsafeBufferPointer<UInt8>, at offset: Int) throws(JSONSyntaxError) {
    func bytes(_ start: Int32, _ end: Int32) -> Slice<UnsafeBufferPointer<UInt8>> { buffer[Int(start)..<Int(end)] }
    func duplicate(_ name: [UInt8]) -> JSONSyntaxError {
      JSONSyntaxError(reason: .duplicateKey, offset: offset, key: String(decoding: name.prefix(100), as: UTF8.self))
    }
    if many == nil, node.kind == .escapedString || few.count == 12 {
      many = Set(few.map { Array(bytes($0.start, $0.end)) })
    }
    if many != nil {
      let range = bytes(node.start, node.end)
      let name = node.kind == .escapedString ? Array(JSONTape.unescape(ArraySlice(range)).utf8) : Array(range)
      guard many?.insert(name).inserted == true else { throw duplicate(name) }
    } else {
      let name = bytes(node.start, node.end)
      for other in few where other.end - other.start == node.end - node.start && bytes(other.start, other.end).elementsEqual(name)
      {
        throw duplicate(Array(name))
      }
      if few.isEmpty { few.reserveCapacity(12) }
      few.append((node.start, node.end))
    }
  }
}
