import ActivityContract
import Foundation
import GRDB
import ImportFormats
import Operations
import Testing

@Suite("Backups of Loop Habit Tracker")
struct LoopTests {
  static let columns =
    "Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,Target Type,Target Value,Archived?\n"

  /// A database as Loop's later versions write it, made by these statements.
  static func database(_ statements: String...) throws -> [UInt8] {
    let path = "/tmp/racha-loop-\(UInt64.random(in: .min ... .max)).db"
    defer { unlink(path) }
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      for statement in statements { try database.execute(sql: statement) }
    }
    try queue.close()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  static let habits = """
    CREATE TABLE Habits (id INTEGER PRIMARY KEY, archived INTEGER, color INTEGER, description TEXT, freq_den INTEGER, freq_num INTEGER,
      highlight INTEGER, name TEXT, position INTEGER, reminder_hour INTEGER, reminder_min INTEGER, reminder_days INTEGER, type INTEGER,
      target_type INTEGER, target_value REAL, unit TEXT, question TEXT, uuid TEXT)
    """
  static let repetitions = """
    CREATE TABLE Repetitions (id INTEGER PRIMARY KEY, habit INTEGER, timestamp INTEGER, value INTEGER, notes TEXT)
    """

  @Test("Loop's database is read: schedules, numbers with their limits, archived habits, and only what was entered by hand")
  func later() throws {
    let bytes = try Self.database(
      Self.habits, Self.repetitions,
      """
      INSERT INTO Habits (id, archived, description, freq_den, freq_num, name, position, type, target_type, target_value, unit, question)
      VALUES (1, 0, 'note', 1, 1, 'Read', 2, 0, 0, 0, '', ''), (2, 1, '', 7, 3, 'Run', 1, 0, 0, 0, '', 'Did you?'),
        (3, 0, '', 1, 1, 'Coffee', 3, 1, 1, 2.5, 'cups', ''), (4, 0, '', 5, 1, 'Read', 4, 0, 0, 0, '', ''),
        (5, 0, '', 3, 2, 'Two in three', 5, 0, 0, 0, '', ''), (6, 0, '', 0, 0, 'Broken', 6, 0, 0, 0, '', ''),
        (7, 0, '', 1, 1, ' ', 7, 0, 0, 0, '', '')
      """,
      """
      INSERT INTO Repetitions (id, habit, timestamp, value) VALUES (1, 1, 1451606400000, 2), (2, 1, 1451692800000, 1),
        (3, 1, 1451779200000, 3), (4, 3, 1451606400000, 1500), (5, 1, 1451606400001, 2), (6, 99, 1451606400000, 2),
        (7, 2, 1451606400000, 0), (8, 4, 1451865600000, 2)
      """)
    let file = try TemporaryFile("Loop Habits Backup.db", bytes)
    #expect(try file.file.format() == .loopDatabase)
    let (records, fault) = try file.read()
    #expect(fault == nil)
    #expect(records.habits.map(\.key) == ["Run#1", "Read#1", "Coffee#1", "Read#2", "Two in three#1"])
    #expect(records.habits.map(\.frequency) == [.timesAWeek(3), .daily, .daily, .everyDays(5), .timesAWeek(5)])
    #expect(records.habits.map(\.isArchived) == [true, false, false, false, false])
    #expect(records.habits.map(\.reason) == ["Did you?", "note", nil, nil, nil])
    #expect(records.habits[2].goal == .quantity(2.5, unit: "cups", .atMost))
    #expect(records.habits.map { $0.firstDay?.description } == [nil, "2016-01-01", "2016-01-01", "2016-01-04", nil])
    #expect(records.marks.map(\.habit) == ["Read#1", "Coffee#1", "Read#2"])
    #expect(records.marks.map(\.progress) == [.done, .amount(1.5), .done])
    #expect(records.faults == ["6 badSchedule", "7 missingValue", "5 badTime", "6 unknownHabit"])
  }

  @Test(
    "A Loop repetition whose time is no day is a problem, and does not set the day on which its habit begins",
    arguments: [
      "1448928000000 + 3600000", "-86400000", "NULL", "'then'", "4102444800000", "-9223372036854775807 - 1",
    ])
  func badTimes(time: String) throws {
    let bytes = try Self.database(
      Self.habits, Self.repetitions,
      "INSERT INTO Habits (id, archived, freq_den, freq_num, name, position, type) VALUES (1, 0, 1, 1, 'Read', 1, 0)",
      """
      INSERT INTO Repetitions (habit, timestamp, value) VALUES (1, \(time), 2), (1, 1451692800000, 2), (1, 1451606400000, 2)
      """)
    let (records, fault) = try TemporaryFile("a.db", bytes).read()
    #expect(fault == nil && records.faults == ["1 badTime"])
    #expect(records.habits.map { $0.firstDay?.description } == ["2016-01-01"])
    #expect(records.marks.map(\.day.description) == ["2016-01-02", "2016-01-01"])
  }

  @Test("Impossible amounts and days of a Loop backup are problems with their lines, and the rest is read")
  func impossible() throws {
    let rows = """
      Date,Run,M
      2026-11-20,2,9223372036854774784
      0001-01-01,2,2
      9999-12-31,2,2
      2026-11-18,YES_MANUAL,1000000000

      """
    let (records, fault) = try TemporaryFile("Checkmarks.csv", rows).read()
    #expect(fault == nil)
    #expect(records.faults == ["2 badNumber", "3 badTime", "4 badTime"])
    #expect(records.marks.map(\.progress) == [.amount(0.002), .done, .amount(1_000_000)])
    #expect(Amounts.thousandths(1e300) == .max && Amounts.thousandths(-1e300) == .min)
  }

  @Test("Loop's database is refused where it is untrustworthy: views, virtual tables, other tables, damaged pages")
  func untrustworthy() throws {
    let none = try Self.database("CREATE TABLE Habits (a)", "CREATE TABLE Repetitions (b)")
    #expect(try TemporaryFile("a.db", none).read().fault == .unrecognized)
    let view = try Self.database(
      "CREATE TABLE x (Id, name, freq_num, freq_den)", "CREATE VIEW Habits AS SELECT * FROM x", Self.repetitions)
    #expect(try TemporaryFile("a.db", view).read().fault == .unrecognized)
    let virtual = try Self.database(
      "CREATE VIRTUAL TABLE Habits USING fts5(Id, name, freq_num, freq_den)", Self.repetitions)
    #expect(try TemporaryFile("a.db", virtual).read().fault == .unrecognized)
    var damaged = try Self.database(
      Self.habits, Self.repetitions, "INSERT INTO Habits (id, name, freq_num, freq_den) VALUES (1, 'a', 1, 1)")
    for index in 100..<damaged.count { damaged[index] = 0xA5 }
    #expect(try TemporaryFile("a.db", damaged).read().fault == .damaged)
    #expect(try TemporaryFile("a.db", Array("SQLite format 3\u{0}".utf8)).read().fault == .damaged)
  }

  @Test("Backups of Loop Habit Tracker are never written to, not even where a journal lies beside them")
  func untouched() throws {
    let bytes = try Self.database(
      Self.habits, Self.repetitions, "INSERT INTO Habits (id, name, freq_num, freq_den) VALUES (1, 'a', 1, 1)")
    let file = try TemporaryFile("a.db", bytes)
    for ending in ["-wal", "-journal"] { try Data(bytes).write(to: URL(fileURLWithPath: file.path + ending)) }
    defer { for ending in ["-wal", "-journal", "-shm"] { unlink(file.path + ending) } }
    #expect(try file.read().records.habits.count == 1)
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path))) == bytes)
    #expect(!FileManager.default.fileExists(atPath: file.path + "-shm"))
  }

  @Test("Loop's CSV files are read: habits, what was entered by hand, and numbers in thousandths")
  func rows() throws {
    let habits =
      Self.columns
      + "001,Meditate,YES_NO,Did you?,,1,1,#FF8F00,,,,false\n002,Water,NUMERICAL,,,1,1,#00897B,l,AT_LEAST,2.0,false\n003,Old,YES_NO,,,1,5,#00897B,,,,true\n"
    let (records, _) = try TemporaryFile("Habits.csv", habits).read()
    #expect(records.habits.map(\.title) == ["Meditate", "Water", "Old"])
    #expect(records.habits.map(\.frequency) == [.daily, .daily, .everyDays(5)])
    #expect(records.habits[1].goal == .quantity(2, unit: "l"))
    #expect(records.habits.map(\.isArchived) == [false, false, true])
    let marks =
      "Date,Meditate,Water,Old,\n2015-01-25,UNKNOWN,1500,YES_MANUAL,\n2015-01-24,YES_AUTO,0,NO,\n2015-01-23,YES_MANUAL,x,SKIP,\n"
    let (found, _) = try TemporaryFile("Checkmarks.csv", marks).read()
    #expect(found.marks.map(\.habit) == ["Water#1", "Old#1", "Meditate#1"])
    #expect(found.marks.map(\.progress) == [.amount(1.5), .done, .done])
    #expect(found.faults == ["4 badNumber"])
  }

  @Test("Loop's goals or limits of 0, and unknown words, are problems with their lines, and the rest is read")
  func refused() throws {
    let rows = [
      "Coffee,NUMERICAL,,,1,1,#00897B,cups,AT_MOST,0,false", "Tea,NUMERICAL,,,1,1,#00897B,cups,AT_LEAST,0.0001,false",
      "Milk,NUMERICAL,,,1,1,#00897B,l,AT_MOST,-1,false", "Beer,NUMERICAL,,,1,1,#00897B,l,AT_MOST,x,false",
      "Read,WHAT,,,1,1,#FF8F00,,,,false", "Run,YES_NO,,,1,1,#FF8F00,,,,x", "Swim,NUMERICAL,,,1,1,#FF8F00,m,ABOUT,3,false",
      "Nap,YES_NO,,,1,1,#FF8F00,,,,False",
    ]
    let habits = Self.columns + rows.enumerated().map { "00\($0 + 1),\($1)\n" }.joined()
    let (records, fault) = try TemporaryFile("Habits.csv", habits).read()
    #expect(fault == nil && records.habits.map(\.title) == ["Nap"])
    #expect(
      records.faults == [
        "2 zeroGoal", "3 zeroGoal", "4 badNumber", "5 badNumber", "6 badChoice", "7 badChoice", "8 badChoice",
      ])
    let bytes = try Self.database(
      Self.habits, Self.repetitions,
      """
      INSERT INTO Habits (id, archived, freq_den, freq_num, name, position, type, target_type, target_value)
      VALUES (1, 0, 1, 1, 'Coffee', 1, 1, 1, 0), (2, 0, 1, 1, 'Read', 2, 2, 0, 0), (3, 0, 1, 1, 'Tea', 3, 1, 2, 5)
      """)
    #expect(try TemporaryFile("a.db", bytes).read().records.faults == ["1 zeroGoal", "2 badChoice", "3 badChoice"])
  }

  @Test("Loop's archive of CSV files is read")
  func archive() throws {
    let bytes = try Zip.archive([
      ("Habits.csv", Array((Self.columns + "001,A,YES_NO,,,3,7,#FF8F00,,,,false\n").utf8)),
      ("Checkmarks.csv", Array("Date,A,\n2015-01-25,YES_MANUAL,\n2015-01-24,YES_MANUAL,\n".utf8)),
      ("Scores.csv", Array("Date,A,\n2015-01-25,0.5,\n".utf8)),
      ("001 A/Checkmarks.csv", Array("2015-01-25,2\n".utf8)),
    ])
    let file = try TemporaryFile("Loop Habits CSV.zip", bytes)
    #expect(try file.file.format() == .loopZip)
    let (records, fault) = try file.read()
    #expect(fault == nil && records.habits.map(\.frequency) == [.timesAWeek(3)])
    #expect(records.habits[0].firstDay?.description == "2015-01-24")
    #expect(records.marks.map(\.day.description) == ["2015-01-25", "2015-01-24"])
    #expect(records.map(\.part) == ["Habits.csv", "Checkmarks.csv", "Checkmarks.csv"])
  }
}
