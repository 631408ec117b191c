import Operations

/// Reads a body of `multipart/form-data` (RFC 7578, RFC 2046 section 5.1) as it arrives: given bytes in any pieces, it says what they are.
/// It keeps no more of them than a part's head and the beginning of what may be a boundary.
///
///     var parser = try MultipartParser(contentType: "multipart/form-data; boundary=x", MultipartLimits(fileBytes: 1000))
///     try parser.read(Array("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--".utf8))
///     // [.part(MultipartHead(name: "a")), .bytes([0x31]), .partEnd]
///     try parser.end()
struct MultipartParser {
  enum Event: Hashable {
    case part(MultipartHead)
    /// Some bytes of the part's content.
    case bytes([UInt8])
    case partEnd
  }

  /// Why a body is not taken.
  enum Fault: Error, Hashable {
    /// Its content type names no boundary.
    case noBoundary
    case malformed
    /// It ends within a part.
    case unfinished
    case tooManyParts
    case headTooLarge
    /// A part without a file name is larger than any field of a form.
    case fieldTooLarge
    case fileTooLarge
  }

  private enum State: Hashable {
    /// Before the first boundary, or in a part's content: so much of a boundary has been seen at its end, of which the first bytes that
    /// were `borrowed` are the end of the line before the content.
    case content(matched: Int, borrowed: Int)
    /// Behind a boundary, of which there may be `--` and white space before its line ends.
    case boundaryEnd(dashes: Int, padding: Int, hasReturn: Bool)
    case head
    /// After the last boundary: what follows is ignored.
    case epilogue
  }

  private static let (carriageReturn, lineFeed, dash) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "-"))

  private let limits: MultipartLimits
  /// The line's end before a boundary belongs to it.
  private let delimiter: [UInt8]
  private var state: State
  private var parts = 0
  private var head: [UInt8] = []
  /// How much the part that is being read may still have; nil before the first one.
  private var left: Int?
  private var isFile = false

  /// - Throws: ``Fault/noBoundary`` where it is not such a body.
  init(contentType: String?, _ limits: MultipartLimits) throws(Fault) {
    guard let contentType, let field = HeaderParameters(contentType), field.value == "multipart/form-data",
      let boundary = field["boundary"], MultipartParser.isBoundary(boundary)
    else { throw .noBoundary }
    self.limits = limits
    delimiter = Array("\r\n--\(boundary)".utf8)
    // The first boundary may stand at the very beginning.
    state = .content(matched: 2, borrowed: 2)
  }

  /// RFC 2046, section 5.1.1: 1 to 70 characters, of which the last is no space.
  private static func isBoundary(_ text: String) -> Bool {
    (1...70).contains(text.utf8.count) && text.utf8.last != UInt8(ascii: " ")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
      }
  }

  /// What the next bytes are.
  mutating func read(_ bytes: [UInt8]) throws(Fault) -> [Event] {
    var events: [Event] = []
    var content: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if left != nil, state == .content(matched: 0, borrowed: 0) {
        // Up to the next byte with which a boundary may begin all is content.
        let end = bytes[index...].firstIndex(of: Self.carriageReturn) ?? bytes.count
        content += bytes[index..<end]
        index = end
        guard index < bytes.count else { break }
      }
      let byte = bytes[index]
      index += 1
      switch state {
      case .content(let matched, let borrowed): try readContent(byte, matched, borrowed, &content, &events)
      case .boundaryEnd(let dashes, let padding, let hasReturn): try readBoundaryEnd(byte, dashes, padding, hasReturn)
      case .head: try readHead(byte, &events)
      case .epilogue: break
      }
    }
    try flush(&content, &events)
    return events
  }

  /// Says that the body has ended.
  func end() throws(Fault) {
    switch state {
    case .epilogue: break
    default: throw .unfinished
    }
  }

  /// Of the bytes of a boundary the first alone is a carriage return, so that only there another may begin.
  private mutating func readContent(
    _ byte: UInt8, _ matched: Int, _ borrowed: Int, _ content: inout [UInt8], _ events: inout [Event]
  ) throws(Fault) {
    if byte == delimiter[matched] {
      guard matched + 1 == delimiter.count else {
        state = .content(matched: matched + 1, borrowed: borrowed)
        return
      }
      try flush(&content, &events)
      if left != nil { events.append(.partEnd) }
      state = .boundaryEnd(dashes: 0, padding: 0, hasReturn: false)
      return
    }
    // Before the first part nothing is kept.
    if left != nil {
      content += delimiter[borrowed..<max(borrowed, matched)]
      if byte != Self.carriageReturn { content.append(byte) }
    } else {
      head.append(byte)
      guard head.count <= limits.headBytes else { throw .malformed }
    }
    state = .content(matched: byte == Self.carriageReturn ? 1 : 0, borrowed: 0)
  }

  private mutating func flush(_ content: inout [UInt8], _ events: inout [Event]) throws(Fault) {
    guard !content.isEmpty, let left else { return }
    guard content.count <= left else { throw isFile ? .fileTooLarge : .fieldTooLarge }
    self.left = left - content.count
    events.append(.bytes(content))
    content = []
  }

  private mutating func readBoundaryEnd(
    _ byte: UInt8, _ dashes: Int, _ padding: Int, _ hasReturn: Bool
  ) throws(Fault) {
    switch byte {
    case Self.dash where padding == 0 && !hasReturn:
      state = dashes == 1 ? .epilogue : .boundaryEnd(dashes: 1, padding: 0, hasReturn: false)
    case UInt8(ascii: " "), UInt8(ascii: "\t"):
      guard dashes == 0, !hasReturn, padding < limits.padding else { throw .malformed }
      state = .boundaryEnd(dashes: 0, padding: padding + 1, hasReturn: false)
    case Self.carriageReturn where dashes == 0 && !hasReturn:
      state = .boundaryEnd(dashes: 0, padding: padding, hasReturn: true)
    case Self.lineFeed where hasReturn:
      parts += 1
      guard parts <= limits.parts else { throw .tooManyParts }
      head = []
      state = .head
    default: throw .malformed
    }
  }

  private mutating func readHead(_ byte: UInt8, _ events: inout [Event]) throws(Fault) {
    head.append(byte)
    guard head.count <= limits.headBytes else { throw .headTooLarge }
    guard byte == Self.lineFeed, head.count == 2 || head.suffix(4).elementsEqual("\r\n\r\n".utf8),
      head.suffix(2).first == Self.carriageReturn
    else { return }
    guard let part = MultipartHead(head) else { throw .malformed }
    isFile = part.fileName != nil
    left = isFile ? limits.fileBytes : limits.fieldBytes
    head = []
    // The line break after the head may also be the one before a boundary, where the part is empty.
    state = .content(matched: 2, borrowed: 2)
    events.append(.part(part))
  }
}

/// What a body of parts may have.
struct MultipartLimits: Hashable, Sendable {
  /// Parts.
  var parts = 16
  /// Bytes of a part's head, and before the first part.
  var headBytes = 8192
  /// Blanks behind a boundary.
  var padding = 100
  /// Bytes of a part without a file name.
  var fieldBytes = 1024
  /// Bytes of a part with one.
  var fileBytes: Int
}

/// What the head of a part says.
struct MultipartHead: Hashable {
  /// The form's field.
  var name: String
  /// The file's name if the part is a file; empty where no file was chosen.
  var fileName: String?
  var mediaType: String?

  init(name: String, fileName: String? = nil, mediaType: String? = nil) {
    self.name = name
    self.fileName = fileName
    self.mediaType = mediaType
  }

  /// - Parameter bytes: the lines, with the empty one behind them.
  init?(_ bytes: [UInt8]) {
    var disposition: HeaderParameters?
    for line in String(decoding: bytes, as: UTF8.self).split(atLineEnds: ()) {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let value = String(line[line.utf8.index(after: colon)...])
      switch String(line[..<colon]).asciiLowercased {
      case "content-disposition":
        guard disposition == nil, let read = HeaderParameters(value, isForm: true) else { return nil }
        disposition = read
      case "content-type": mediaType = value.withoutBlanks.description
      default: break
      }
    }
    guard let disposition, disposition.value == "form-data", let name = disposition["name"] else { return nil }
    self.name = name
    fileName = disposition["filename"]
  }
}

extension String {
  /// The lines, which end with a carriage return and a line feed, without the empty ones.
  fileprivate func split(atLineEnds: Void) -> [Substring] {
    var lines: [Substring] = []
    var start = utf8.startIndex
    while let end = utf8[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = self[start..<end]
      let isEnded = line.utf8.last == UInt8(ascii: "\r")
      let text = isEnded ? line[..<line.utf8.index(before: line.endIndex)] : line
      if !text.isEmpty { lines.append(text) }
      start = utf8.index(after: end)
    }
    return lines
  }
}

/// A header's value with parameters (RFC 9110, section 5.6.6): `form-data; name="a"`.
struct HeaderParameters {
  /// In lower case.
  let value: String
  private var parameters: [String: String] = [:]

  /// - Parameter isForm: whether names are quoted as browsers do it: `%22`, `%0D` and `%0A` stand for what no quoted text may have
  ///   (HTML, section 4.10.21.8).
  init?(_ text: String, isForm: Bool = false) {
    var rest = text.utf8[...]
    let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
    value = Substring(rest[..<end]).withoutBlanks.asciiLowercased
    rest = rest[end...]
    while rest.popFirst() != nil {
      rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      if rest.isEmpty { break }
      guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let name = Substring(rest[..<equals]).withoutBlanks.asciiLowercased
      rest = rest[rest.index(after: equals)...]
      let given: [UInt8]
      if rest.first == UInt8(ascii: "\"") {
        rest.removeFirst()
        guard let quoted = Self.quoted(&rest) else { return nil }
        given = quoted
        rest = rest.drop { $0 != UInt8(ascii: ";") }
      } else {
        let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
        given = Array(Substring(rest[..<end]).withoutBlanks.utf8)
        rest = rest[end...]
      }
      let text = String(decoding: given, as: UTF8.self)
      guard !name.isEmpty, parameters.updateValue(isForm ? Self.unescaped(text) : text, forKey: name) == nil else { return nil }
    }
  }

  subscript(_ name: String) -> String? { parameters[name] }

  /// Reads up to the closing quote. A backslash stands for itself, as browsers write it, but before a quote that is not the last, and
  /// before another.
  private static func quoted(_ rest: inout Substring.UTF8View.SubSequence) -> [UInt8]? {
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return bytes
      case UInt8(ascii: "\\"):
        let isEscape =
          rest.first == UInt8(ascii: "\\") || rest.first == UInt8(ascii: "\"") && rest.dropFirst().contains(UInt8(ascii: "\""))
        bytes.append(isEscape ? rest.removeFirst() : byte)
      default: bytes.append(byte)
      }
    }
    return nil
  }

  private static func unescaped(_ text: String) -> String {
    [("%22", "\""), ("%0D", "\r"), ("%0d", "\r"), ("%0A", "\n"), ("%0a", "\n")]
      .reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}
