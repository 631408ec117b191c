import ActivityContract

/// Lines of comma-separated values (RFC 4180), read as a stream.
struct CSV {
  enum Line: Hashable {
    /// The number of its first line of text, and its fields.
    case row(Int, [String])
    /// A line that violates the rules; reading continues with the next one.
    case bad(Int)
  }

  /// The maximum size of a row in bytes, and the maximum number of its fields: in the widest files each habit has a field.
  static let maxBytes = 1 << 20
  static let maxFields = 4096

  private enum Mode { case start, plain, quoted, quoteWithin, bad }

  private let source: any ByteSource
  private var buffer = [UInt8](repeating: 0, count: sliceBytes)
  private var count = 0
  private var position = 0
  private var (hasFilled, isAtEnd) = (false, false)
  private(set) var lineNumber = 1

  init(_ source: any ByteSource) { self.source = source }

  var consumed: Int64 { source.consumed }

  /// The next line that is not empty; nil at the end.
  mutating func next() throws(FormatFault) -> Line? {
    var mode = Mode.start
    var fields: [[UInt8]] = []
    var field: [UInt8] = []
    var size = 0
    var first = lineNumber
    while let byte = try nextByte() {
      size += 1
      guard size <= Self.maxBytes, fields.count <= Self.maxFields else { throw .damaged }
      // Only a quoted field may span lines.
      if byte == UInt8(ascii: "\n") {
        lineNumber += 1
        if mode != .quoted {
          guard size == 1 || (size == 2 && field == [UInt8(ascii: "\r")]) else { return finish(first, fields, field, mode) }
          (mode, field, size, first) = (.start, [], 0, lineNumber)
          continue
        }
      }
      switch (mode, byte) {
      case (.bad, _): break
      case (.quoted, UInt8(ascii: "\"")): mode = .quoteWithin
      case (.quoted, _): field.append(byte)
      case (.quoteWithin, UInt8(ascii: "\"")):
        field.append(byte)
        mode = .quoted
      case (_, UInt8(ascii: ",")):
        fields.append(field)
        field = []
        mode = .start
      case (.quoteWithin, UInt8(ascii: "\r")): break
      case (.quoteWithin, _): mode = .bad
      case (.start, UInt8(ascii: "\"")): mode = .quoted
      case (.plain, UInt8(ascii: "\"")): mode = .bad
      default:
        field.append(byte)
        mode = .plain
      }
    }
    guard size > 0 else { return nil }
    return finish(first, fields, field, mode == .quoted ? .bad : mode)
  }

  /// The next line unparsed and without its end, for tables that are not proper CSV; nil at the end.
  mutating func nextText() throws(FormatFault) -> String? {
    var bytes: [UInt8] = []
    var isThere = false
    while let byte = try nextByte() {
      isThere = true
      guard bytes.count < Self.maxBytes else { throw .damaged }
      if byte == UInt8(ascii: "\n") {
        lineNumber += 1
        break
      }
      bytes.append(byte)
    }
    guard isThere else { return nil }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func finish(_ line: Int, _ fields: [[UInt8]], _ last: [UInt8], _ mode: Mode) -> Line {
    guard mode != .bad else { return .bad(line) }
    var last = last
    if last.last == UInt8(ascii: "\r") { last.removeLast() }
    var texts: [String] = []
    texts.reserveCapacity(fields.count + 1)
    for bytes in fields + [last] {
      guard let text = String(validating: bytes, as: UTF8.self) else { return .bad(line) }
      texts.append(text)
    }
    return .row(line, texts)
  }

  private mutating func nextByte() throws(FormatFault) -> UInt8? {
    if position == count {
      guard !isAtEnd else { return nil }
      try fill()
      guard count > 0 else {
        isAtEnd = true
        return nil
      }
    }
    defer { position += 1 }
    return buffer[position]
  }

  private mutating func fill() throws(FormatFault) {
    // In an archive, a file does not begin where reading began.
    let isFirst = !hasFilled
    hasFilled = true
    var outcome: Result<Int, FormatFault> = .success(0)
    let source = source
    buffer.withUnsafeMutableBytes { bytes in
      do throws(FormatFault) { outcome = .success(try source.read(into: bytes)) } catch { outcome = .failure(error) }
    }
    count = try outcome.get()
    position = isFirst && buffer.prefix(count).starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }
}

/// Turns a file's rows into records.
protocol CSVRows {
  func records(_ row: CSVRow) -> [ImportedRecord]
  /// Called after the last row.
  ///
  /// - Throws: a fault of the rows as a whole.
  func finish() throws(FormatFault)
}

extension CSVRows {
  func finish() throws(FormatFault) {}
}

/// Reads a file of rows with a header.
final class CSVRecordReader: ImportReader {
  private var csv: CSV
  private let part: String?
  /// How many fields a row has; nil where the rows decide that themselves.
  private let fieldCount: Int?
  private let rows: any CSVRows
  private var fault: FormatFault?

  /// - Parameter make: creates the row handler from the names of the columns.
  init(_ source: any ByteSource, part: String? = nil, _ make: ([String]) throws(FormatFault) -> any CSVRows) throws(FormatFault) {
    csv = CSV(source)
    self.part = part
    guard case .row(_, let names) = try csv.next() else { throw .unrecognized }
    fieldCount = names.count
    rows = try make(names)
  }

  /// - Parameter csv: positioned after the header.
  init(_ csv: CSV, part: String? = nil, _ rows: any CSVRows) {
    self.csv = csv
    self.part = part
    fieldCount = nil
    self.rows = rows
  }

  var consumed: Int64 { csv.consumed }
  var line: Int { csv.lineNumber }

  func next(maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    if let fault { throw fault }
    var records: [ImportedRecord] = []
    let begin = consumed
    var isAtEnd = true
    while records.count < maximum, consumed - begin < stretchBytes {
      let line: CSV.Line?
      do throws(FormatFault) {
        line = try csv.next()
      } catch {
        // Records before the fault are valid.
        fault = error
        break
      }
      guard let line else { break }
      isAtEnd = false
      switch line {
      case .bad(let number): records.append(ImportedRecord(part: part, line: number, .fault(.badRow)))
      case .row(let number, let fields) where fields.count != fieldCount ?? fields.count:
        records.append(ImportedRecord(part: part, line: number, .fault(.badRow)))
      case .row(let number, let fields): records += rows.records(CSVRow(part: part, line: number, fields: fields))
      }
    }
    guard isAtEnd else { return records }
    if let fault { throw fault }
    try rows.finish()
    return nil
  }
}

/// A row, with as many fields as there are columns, unless its handler checks that itself.
struct CSVRow {
  let part: String?
  let line: Int
  let fields: [String]

  func record(_ content: ImportedRecord.Content) -> ImportedRecord { ImportedRecord(part: part, line: line, content) }
}
