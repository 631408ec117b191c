import Foundation
import GRDB
import GRDBSQLite
import ImportFormats
import Operations
import Testing

/// What takes little room in a database and much in memory: see `LoopDatabase`.
@Suite("Very large backups of Loop Habit Tracker", .timeLimit(.minutes(1)))
struct LoopBoundsTests {
  /// What reading a file finds, and how much more memory SQLite takes meanwhile.
  private static func read(_ bytes: [UInt8]) throws -> (records: [ImportedRecord], fault: FormatFault?, memory: Int64) {
    let file = try TemporaryFile("a.db", bytes)
    let before = sqlite3_memory_used()
    _ = sqlite3_memory_highwater(1)
    let (records, fault) = try file.read()
    return (records, fault, sqlite3_memory_highwater(0) - before)
  }

  private static let long = "printf('%.*c', 1000000, 'x')"
  private static let numbers = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 30)"

  @Test("Large backups of Loop Habit Tracker are read in little memory where their texts are long")
  func longTexts() throws {
    let bytes = try LoopTests.database(
      LoopTests.habits, LoopTests.repetitions,
      """
      \(Self.numbers) INSERT INTO Habits (id, freq_den, freq_num, name, position, question)
      SELECT n, 1, 1, 'Read', 31 - n, \(Self.long) FROM numbers
      """, "\(Self.numbers) INSERT INTO Repetitions (habit, timestamp, value) SELECT n, \(Self.long), 2 FROM numbers",
      "\(Self.numbers) INSERT INTO Repetitions (habit, timestamp, value) SELECT \(Self.long), 86400000, 2 FROM numbers",
      "\(Self.numbers) INSERT INTO Repetitions (habit, timestamp, value) SELECT n, 86400000 * n, 2 FROM numbers")
    let (records, fault, memory) = try Self.read(bytes)
    #expect(fault == nil && memory < 16 << 20, "\(memory)")
    #expect(records.habits.map(\.reason) == Array(repeating: String(repeating: "x", count: 30), count: 30))
    #expect(records.habits.map { $0.firstDay?.daysSinceEpoch } == (1...30).reversed().map { Int32($0) })
    #expect(records.marks.count == 30)
    #expect(records.faults.count == 60)
  }

  @Test(
    "Large backups of Loop Habit Tracker are refused where many rows share the pages of one text",
    arguments: ["Habits", "Repetitions"])
  func sharedTexts(table: String) throws {
    let text = "INSERT INTO \(table) (id, \(table == "Habits" ? "freq_den, freq_num, name" : "habit, timestamp, notes"))"
    var bytes = try LoopTests.database(
      "PRAGMA page_size = 512", LoopTests.habits, LoopTests.repetitions,
      "\(Self.numbers) \(text) SELECT n, 1, 1, \(Self.long) FROM numbers")
    #expect(try Self.read(bytes).fault == nil)
    // Where a cell ends with the number of the page on which its text goes on.
    let pages = bytes.count / 512
    var shared: ArraySlice<UInt8>?
    for page in 1..<pages where bytes[page * 512] == 0x0D {
      let start = page * 512
      let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
      for cell in 0..<count {
        let offset = start + (Int(bytes[start + 8 + 2 * cell]) << 8 | Int(bytes[start + 9 + 2 * cell]))
        // Three bytes of length, one of the row's number, and what stands in the cell itself of so long a text.
        let length = (0..<3).reduce(0) { $0 << 7 | Int(bytes[offset + $1] & 0x7F) }
        guard bytes[offset] & 0x80 != 0, length > 1_000_000 else { continue }
        let minimum = (512 - 12) * 32 / 255 - 23
        let rest = minimum + (length - minimum) % (512 - 4)
        let end = offset + 4 + (rest <= 512 - 35 ? rest : minimum)
        shared = shared ?? bytes[end..<end + 4]
        if let shared { bytes.replaceSubrange(end..<end + 4, with: shared) }
      }
    }
    #expect(shared != nil)
    #expect(try Self.read(bytes).fault == .damaged)
  }
}
