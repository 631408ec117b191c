import ActivityContract
import Operations

/// Reads Fitbit's `steps-2024-01-01.json` of older exports: `[{"dateTime": "01/31/24 08:15:00", "value": "52"}, …]`, one object per minute,
/// in UTC although the file does not say so. It is read as a stream: such a file is a list of flat objects and nothing else.
final class FitbitStepsJSON: ImportReader {
  /// The maximum length of a text and number of members; unknown members are ignored.
  private static let (maxText, maxMembers) = (256, 16)

  private let source: any ByteSource
  private let part: String?
  private var buffer = [UInt8](repeating: 0, count: sliceBytes)
  private var (count, position) = (0, 0)
  private(set) var line = 1
  private var (hasFilled, hasBegun) = (false, false)
  private var isAtEnd = false
  private var fault: FormatFault?

  init(_ source: any ByteSource, part: String? = nil) {
    self.source = source
    self.part = part
  }

  /// Whether a file has steps by minute: other files of the same form have other measures, so the name has to say so.
  static func isNamed(_ name: String) -> Bool {
    let name = name.split(separator: "/").last.map { $0.lowercased() } ?? ""
    return name.hasPrefix("steps-") && name.hasSuffix(".json")
  }

  var consumed: Int64 { source.consumed }

  func next(maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    if let fault { throw fault }
    guard !isAtEnd else { return nil }
    var records: [ImportedRecord] = []
    let begin = consumed
    do throws(FormatFault) {
      while records.count < maximum, consumed - begin < stretchBytes, let record = try record() {
        if let content = record.content { records.append(ImportedRecord(part: part, line: record.line, content)) }
      }
    } catch {
      // Records before the fault are valid.
      guard !records.isEmpty else { throw error }
      fault = error
    }
    return records
  }

  /// The next object; nil after the last.
  private func record() throws(FormatFault) -> (line: Int, content: ImportedRecord.Content?)? {
    guard !isAtEnd else { return nil }
    var next = try nextVisible()
    if !hasBegun {
      guard next == UInt8(ascii: "[") else { throw .damaged }
      next = try nextVisible()
    } else if next == UInt8(ascii: ",") {
      next = try nextVisible()
      guard next != UInt8(ascii: "]") else { throw .damaged }
    } else if next != UInt8(ascii: "]") {
      throw .damaged
    }
    hasBegun = true
    if next == UInt8(ascii: "]") {
      isAtEnd = true
      return nil
    }
    guard next == UInt8(ascii: "{") else { throw .damaged }
    let first = line
    return (first, Self.content(try members()))
  }

  private static func content(_ members: [String: String]) -> ImportedRecord.Content? {
    guard let time = members["dateTime"], let start = TextValues.read(time, instant) else { return .fault(.badTime) }
    guard let value = members["value"] else { return .fault(.missingValue) }
    guard let count = FitbitMinute.count(value) else { return .fault(.badNumber) }
    return count > 0 ? .sample(FitbitMinute.sample(start, count, FitbitMinute.source)) : nil
  }

  /// `01/31/24 08:15:00`: month, day and year.
  private static func instant(_ text: TextBytes) -> Instant? {
    var scanner = TextScanner(text)
    guard let month = scanner.digits(2), scanner.take("/"), let number = scanner.digits(2), scanner.take("/"),
      let year = scanner.digits(2), let day = LocalDay(year: 2000 + year, month: month, day: number), scanner.take(" "),
      let time = scanner.time(), scanner.isAtEnd
    else { return nil }
    return Instant(milliseconds: TextValues.milliseconds(day) + time)
  }

  // MARK: - Reading

  /// Reads the members of an object after its brace.
  private func members() throws(FormatFault) -> [String: String] {
    var members: [String: String] = [:]
    var next = try nextVisible()
    if next == UInt8(ascii: "}") { return members }
    for _ in 0..<Self.maxMembers {
      guard next == UInt8(ascii: "\"") else { throw .damaged }
      let name = try text()
      guard try nextVisible() == UInt8(ascii: ":") else { throw .damaged }
      let value: String
      (value, next) = try self.value()
      if members[name] == nil { members[name] = value }
      if next == UInt8(ascii: "}") { return members }
      guard next == UInt8(ascii: ",") else { throw .damaged }
      next = try nextVisible()
    }
    throw .damaged
  }

  /// Reads a text, a number or a word, and returns it with the next byte.
  private func value() throws(FormatFault) -> (String, UInt8) {
    var next = try nextVisible()
    if next == UInt8(ascii: "\"") { return (try text(), try nextVisible()) }
    var bytes: [UInt8] = []
    while next != UInt8(ascii: ","), next != UInt8(ascii: "}"), !Self.isSpace(next) {
      guard next != UInt8(ascii: "{"), next != UInt8(ascii: "["), bytes.count < Self.maxText else { throw .damaged }
      bytes.append(next)
      guard let byte = try nextByte() else { throw .damaged }
      next = byte
    }
    guard !bytes.isEmpty else { throw .damaged }
    if Self.isSpace(next) { next = try nextVisible() }
    return (String(decoding: bytes, as: UTF8.self), next)
  }

  /// Reads a text after its first quotation mark; escapes are not decoded, since none of the relevant texts has any.
  private func text() throws(FormatFault) -> String {
    var bytes: [UInt8] = []
    while let byte = try nextByte() {
      if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
      if byte == UInt8(ascii: "\\"), let escaped = try nextByte() { bytes.append(escaped) }
      guard bytes.count < Self.maxText else { throw .damaged }
    }
    throw .damaged
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  /// The next byte that is not white space.
  private func nextVisible() throws(FormatFault) -> UInt8 {
    while let byte = try nextByte() { if !Self.isSpace(byte) { return byte } }
    throw .damaged
  }

  private func nextByte() throws(FormatFault) -> UInt8? {
    if position == count {
      count = try source.fill(&buffer)
      position = !hasFilled && buffer.prefix(count).starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      hasFilled = true
      guard position < count else {
        count = position
        return nil
      }
    }
    defer { position += 1 }
    if buffer[position] == UInt8(ascii: "\n") { line += 1 }
    return buffer[position]
  }
}
