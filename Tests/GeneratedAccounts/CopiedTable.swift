import Foundation
import GRDB

/// When what is to be copied was made: its ids say so (UUIDv7).
struct Era: Sendable {
  /// Milliseconds since 1970.
  let first: Int64
  let last: Int64

  /// How many windows an era may touch.
  static let windows = 4
  /// Bits of milliseconds in a window, some 65 seconds: what an id has behind its first four bytes.
  static let windowBits: Int64 = 16

  var firstWindow: Int64 { first >> Era.windowBits }

  init(_ milliseconds: ClosedRange<Int64>) throws {
    (first, last) = (milliseconds.lowerBound, milliseconds.upperBound)
    guard last >> Era.windowBits - firstWindow < Era.windows else { throw CopyFailure.tookTooLong }
  }

  /// The window of an id that was made meanwhile; nil for others, and for what is no id.
  func window(_ bytes: Data) -> Int? {
    guard bytes.count == 16, bytes[bytes.startIndex + 6] >> 4 == 7 else { return nil }
    return window(bytes.prefix(6).reduce(0) { $0 << 8 | Int64($1) })
  }

  func window(_ milliseconds: Int64) -> Int? {
    milliseconds >= first && milliseconds <= last ? Int(milliseconds >> Era.windowBits - firstWindow) : nil
  }
}

/// Why accounts cannot be copied.
enum CopyFailure: Error {
  /// Making those that are copied took longer than their ids can tell.
  case tookTooLong
  /// A transfer is of nobody that is copied: the ledger would have gaps.
  case foreignTransfer
  /// The stores did not come to rest.
  case noRest(String)
}

/// The rows of a table that are copied, each with what differs in each copy.
struct CopiedTable {
  /// A value of such a row.
  enum Value {
    /// The same in all copies.
    case same(DatabaseValue)
    /// An id that was made in that window, without its first four bytes.
    case id(Int, Data)
    /// A text in which marks stand for what differs.
    case text(String)
    /// Such a text in which ``numberMark`` stands for a number that grows by that with each copy.
    case numbered(String, Int64, stride: Int64)
    /// A number that grows by that with each copy.
    case number(Int64, stride: Int64)
    /// A hash of a secret.
    case secret(Data)
    /// A hash that is a number.
    case hash(Int64)
  }

  let name: String
  let columns: [String]
  let rows: [[Value]]

  // MARK: - Texts

  /// The part of a username that says which copy it is of, as it is in what is copied.
  static let mark = "g000000x"
  /// Stands in a kept text for ``mark``; before it, one for the beginning of an id of each window.
  private static let usernameMark = UInt8(Era.windows + 1)
  /// Stands in a kept text for a number of another row.
  static let numberMark = "\u{6}"
  /// The flag of such a row is that number, and so much more.
  fileprivate static let firstNumber: Int64 = 100

  /// The text with marks for what differs.
  static func marked(_ text: String, _ era: Era) -> String {
    let bytes = Array(text.utf8)
    var marked: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index...].starts(with: mark.utf8) {
        marked.append(usernameMark)
        index += mark.utf8.count
      } else if let window = idWindow(bytes[index...].prefix(36), era) {
        marked.append(UInt8(window + 1))
        index += 8
      } else {
        marked.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: marked, as: UTF8.self)
  }

  /// The window of the id that stands there as text.
  private static func idWindow(_ bytes: ArraySlice<UInt8>, _ era: Era) -> Int? {
    guard bytes.count == 36 else { return nil }
    let bytes = Array(bytes)
    guard [8, 13, 18, 23].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }), bytes[14] == UInt8(ascii: "7") else { return nil }
    let digits = String(decoding: bytes[0..<8] + bytes[9..<13], as: UTF8.self)
    return Int64(digits, radix: 16).flatMap(era.window)
  }

  // MARK: - Writing

  /// Writes all copies, the first first: so ids and numbers come in their order, and every index grows at its end.
  func write(in database: Database) throws {
    guard !rows.isEmpty else { return }
    let kept = columns.indices.map { "v\($0), f\($0)" }.joined(separator: ", ")
    try database.execute(sql: "CREATE TEMP TABLE copied (n INTEGER PRIMARY KEY, \(kept))")
    let places = columns.map { _ in "?, ?" }.joined(separator: ", ")
    let statement = try database.makeStatement(sql: "INSERT INTO copied VALUES (NULL, \(places))")
    for row in rows {
      try statement.execute(arguments: StatementArguments(row.flatMap { [$0.kept, $0.flag] }))
    }
    let quoted = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    try database.execute(
      sql: """
        INSERT INTO main."\(name)" (\(quoted))
        SELECT \(columns.indices.map(expression).joined(separator: ", ")) FROM copies c CROSS JOIN copied t
        """)
    try database.execute(sql: "DROP TABLE copied")
  }

  /// What stands in a column of a copy.
  private func expression(_ column: Int) -> String {
    let (value, flag) = ("t.v\(column)", "t.f\(column)")
    var forms: [Int64: String] = [:]
    var marks: Set<UInt8> = []
    var isWhole = true
    var numbered: Int64?
    for row in rows {
      switch row[column] {
      case .same: isWhole = false
      case .id(let window, _): forms[Int64(window)] = "CAST(c.p\(window) || \(value) AS BLOB)"
      case .text(let text): marks.formUnion(text.utf8.filter { (1...CopiedTable.usernameMark).contains($0) })
      case .numbered(let text, _, let step):
        marks.formUnion(text.utf8.filter { (1...CopiedTable.usernameMark).contains($0) })
        numbered = step
      case .number(_, let stride): forms[Int64(Era.windows)] = "\(value) + c.k * \(stride)"
      case .secret: forms[Int64(Era.windows + 1)] = "CAST(substr(\(value), 1, 28) || c.p0 AS BLOB)"
      case .hash: forms[Int64(Era.windows + 2)] = "((\(value) | c.mix) - (\(value) & c.mix))"
      }
    }
    if forms.isEmpty {
      let text = marks.sorted().reduce(value) { "replace(\($0), char(\($1)), c.m\($1))" }
      guard let numbered else { return text }
      return "CASE WHEN \(flag) IS NULL THEN \(text) "
        + "ELSE replace(\(text), char(6), \(flag) - \(CopiedTable.firstNumber) + c.k * \(numbered)) END"
    }
    if isWhole, forms.count == 1, marks.isEmpty, let form = forms.values.first { return form }
    let cases = forms.sorted { $0.key < $1.key }.map { "WHEN \($0.key) THEN \($0.value)" }.joined(separator: " ")
    return "CASE \(flag) \(cases) ELSE \(value) END"
  }

  /// Makes the table of copies, which all others are joined with.
  static func makeCopies(_ count: Int, _ era: Era, in database: Database) throws {
    let prefixes = (0..<Era.windows).map { "p\($0) BLOB" } + (1...Int(usernameMark)).map { "m\($0) TEXT" }
    try database.execute(
      sql: "CREATE TEMP TABLE copies (k INTEGER PRIMARY KEY, mix INTEGER, \(prefixes.joined(separator: ", ")))")
    let places = (0..<prefixes.count).map { _ in "?" }.joined(separator: ", ")
    let statement = try database.makeStatement(sql: "INSERT INTO copies VALUES (?, ?, \(places))")
    for copy in 1...max(1, count) where copy <= count {
      // Older than what is copied, so that the newest ids are real ones.
      let first = era.firstWindow - Int64(Era.windows * (count + 1 - copy))
      let windows = (0..<Era.windows).map { UInt32(first + Int64($0)) }
      let blobs = windows.map { window in withUnsafeBytes(of: window.bigEndian) { Data($0) }.databaseValue }
      let texts = windows.map { hexadecimal($0).databaseValue } + [username(copy).databaseValue]
      // A multiple of an odd number: another for each copy, in all of its bits.
      let mix = Int64(bitPattern: UInt64(copy) &* 0x9E37_79B9_7F4A_7C15)
      try statement.execute(
        arguments: StatementArguments([copy.databaseValue, mix.databaseValue] + blobs + texts))
    }
  }

  private static func hexadecimal(_ number: UInt32) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 8 - text.count) + text
  }

  /// What stands for ``mark`` in a copy.
  static func username(_ copy: Int) -> String {
    let text = String(copy)
    return "g" + String(repeating: "0", count: 6 - text.count) + text + "x"
  }
}

extension CopiedTable.Value {
  fileprivate var kept: DatabaseValue {
    switch self {
    case .same(let value): value
    case .id(_, let rest): rest.databaseValue
    case .text(let text), .numbered(let text, _, _): text.databaseValue
    case .number(let number, _), .hash(let number): number.databaseValue
    case .secret(let hash): hash.databaseValue
    }
  }

  /// Which form the column has in this row; null where it is kept as it is.
  fileprivate var flag: DatabaseValue {
    switch self {
    case .same, .text: .null
    case .id(let window, _): window.databaseValue
    case .numbered(_, let number, _): (CopiedTable.firstNumber + number).databaseValue
    case .number: Era.windows.databaseValue
    case .secret: (Era.windows + 1).databaseValue
    case .hash: (Era.windows + 2).databaseValue
    }
  }
}
