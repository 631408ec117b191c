import ActivityContract
import GRDBSQLite
import Operations

/// Reads a backup of Loop Habit Tracker: an untrusted SQLite database.
///
/// The open file is read in place (``SQLiteFile``), read-only and as immutable. Nothing of its schema is trusted: only plain tables with
/// the two names are read, by fixed statements. See https://www.sqlite.org/security.html, "Untrusted SQLite Database Files".
///
/// Any number of rows may share one long text, which is in the file only once. So both tables are checked first, which takes time
/// proportional to the file, and of long texts only the part that is kept is sorted.
final class LoopDatabase: ImportReader {
  /// The maximum number of habits that are read; an account may have far fewer.
  private static let maxHabits = 10_000
  /// The maximum number of characters examined of a text; more than is kept of any.
  private static let maxCharacters = 1000
  /// Steps of SQLite's virtual machine between two checks, and the maximum number of checks per reading.
  private static let (stepsPerLook, maxLooks) = (Int32(100_000), 500)

  private let database: OpaquePointer
  private var habits: [ImportedRecord] = []
  private var keys: [Int64: String] = [:]
  private var (numerical, limits): (Set<Int64>, Set<Int64>) = ([], [])
  private var marks: OpaquePointer?
  private let size: Int64
  private var marksRead: Int64 = 0
  private var isBroken = false
  private var markCount: Int64 = 0
  private let looks = Looks()

  private final class Looks {
    var count = 0
  }

  init(_ file: FileContents) throws(FormatFault) {
    size = file.count
    database = try Self.open(file)
    let looks = Unmanaged.passUnretained(looks).toOpaque()
    sqlite3_progress_handler(
      database, Self.stepsPerLook,
      { context in
        guard let context else { return 1 }
        let looks = Unmanaged<Looks>.fromOpaque(context).takeUnretainedValue()
        looks.count += 1
        return looks.count > LoopDatabase.maxLooks || Task.isCancelled ? 1 : 0
      }, looks)
    try readHabits()
    try beginMarks()
  }

  deinit {
    sqlite3_finalize(marks)
    sqlite3_close_v2(database)
  }

  var line: Int { Int(marksRead) }
  var consumed: Int64 { marks == nil ? size : markCount == 0 ? 0 : size * marksRead / markCount }

  func next(maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    guard habits.isEmpty else {
      defer { habits.removeFirst(min(maximum, habits.count)) }
      return Array(habits.prefix(maximum))
    }
    guard !isBroken else { throw .damaged }
    guard let marks else { return nil }
    var records: [ImportedRecord] = []
    while records.count < maximum {
      switch sqlite3_step(marks) {
      case SQLITE_ROW:
        marksRead += 1
        let line = Int(truncatingIfNeeded: sqlite3_column_int64(marks, 0))
        records += contents(marks).map { ImportedRecord(part: "Repetitions", line: line, $0) }
      case SQLITE_DONE:
        sqlite3_finalize(marks)
        self.marks = nil
        return records
      default:
        // Another step would restart the statement.
        isBroken = true
        guard !records.isEmpty else { throw .damaged }
        return records
      }
    }
    return records
  }

  // MARK: - Opening

  private static func open(_ file: FileContents) throws(FormatFault) -> OpaquePointer {
    let (opened, result) = SQLiteFile.open(file)
    guard let database = opened else { throw .damaged }
    guard result == SQLITE_OK else {
      sqlite3_close_v2(database)
      throw .damaged
    }
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, Int32(1 << 20)), (SQLITE_LIMIT_SQL_LENGTH, 1 << 16), (SQLITE_LIMIT_COLUMN, 100),
      (SQLITE_LIMIT_EXPR_DEPTH, 20), (SQLITE_LIMIT_COMPOUND_SELECT, 3), (SQLITE_LIMIT_VDBE_OP, 25_000),
      (SQLITE_LIMIT_FUNCTION_ARG, 8), (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
      (SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
      sqlite3_limit(database, limit, value)
    }
    for pragma in [
      "PRAGMA trusted_schema = OFF", "PRAGMA query_only = ON", "PRAGMA cell_size_check = ON", "PRAGMA mmap_size = 0",
      "PRAGMA temp_store = MEMORY", "PRAGMA cache_size = -4096", "PRAGMA ignore_check_constraints = ON",
    ] where sqlite3_exec(database, pragma, nil, nil, nil) != SQLITE_OK {
      sqlite3_close_v2(database)
      throw .damaged
    }
    // Only plain tables are read: no view, trigger or function of the file takes part.
    sqlite3_set_authorizer(
      database,
      { _, action, first, _, _, viewOrTrigger in
        guard viewOrTrigger == nil else { return SQLITE_DENY }
        switch action {
        case SQLITE_PRAGMA: return first.map { String(cString: $0) } == "quick_check" ? SQLITE_OK : SQLITE_DENY
        case SQLITE_SELECT, SQLITE_FUNCTION: return SQLITE_OK
        case SQLITE_READ:
          let table = first.map { String(cString: $0) } ?? ""
          return ["Habits", "Repetitions", "sqlite_master", "sqlite_schema"].contains(table) ? SQLITE_OK : SQLITE_DENY
        default: return SQLITE_DENY
        }
      }, nil)
    return database
  }

  /// The columns of a table; empty if there is no plain table with that name.
  private func columns(_ table: String) throws(FormatFault) -> Set<String> {
    var names: Set<String> = []
    let isTable = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '\(table)' AND sql LIKE 'CREATE TABLE%'"
    var isThere = false
    try rows(isTable) { _ in isThere = true }
    guard isThere else { return [] }
    let statement = try prepare("SELECT * FROM \(table) LIMIT 0")
    defer { sqlite3_finalize(statement) }
    for column in 0..<sqlite3_column_count(statement) {
      if let name = sqlite3_column_name(statement, column) { names.insert(String(cString: name)) }
    }
    return names
  }

  /// Refuses a table whose pages do not form a tree in which each page has one parent.
  private func check(_ table: String) throws(FormatFault) {
    let statement = try prepare("PRAGMA quick_check('\(table)')")
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW, let found = sqlite3_column_text(statement, 0), String(cString: found) == "ok"
    else { throw .damaged }
  }

  private func prepare(_ sql: String) throws(FormatFault) -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw .damaged }
    return statement
  }

  private func rows(_ sql: String, _ body: (OpaquePointer) -> Void) throws(FormatFault) {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: body(statement)
      case SQLITE_DONE: return
      default: throw .damaged
      }
    }
  }

  // MARK: - Reading

  private func readHabits() throws(FormatFault) {
    let (habitColumns, flagColumns) = (try columns("Habits"), try columns("Repetitions"))
    guard habitColumns.isSuperset(of: ["name", "freq_num", "freq_den"]), flagColumns.isSuperset(of: ["habit", "timestamp"]) else {
      throw .unrecognized
    }
    for table in ["Habits", "Repetitions"] { try check(table) }
    func column(_ name: String, _ otherwise: String) -> String { habitColumns.contains(name) ? name : otherwise }
    func number(_ name: String, _ otherwise: String = "0") -> String { Self.number(column(name, otherwise)) }
    func text(_ name: String) -> String { "substr(CAST(\(column(name, "''")) AS TEXT), 1, \(Self.maxCharacters))" }
    try readLimits(number("type"), number("target_type"))
    let firstDays = try firstDays()
    let sql = """
      SELECT Id, \(text("name")), \(number("freq_num")), \(number("freq_den")), \(number("archived")), \(text("question")),
        \(text("description")), \(number("type")), \(text("unit")), \(number("target_value")), \(number("target_type")),
        \(number("reminder_hour", "NULL")), \(number("reminder_min", "NULL")), \(number("reminder_days", "127"))
      FROM Habits ORDER BY \(number("position", "Id")), Id LIMIT \(Self.maxHabits)
      """
    var names = LoopHabits.Keys()
    try rows(sql) { row in
      let id = sqlite3_column_int64(row, 0)
      func text(_ column: Int32) -> String { sqlite3_column_text(row, column).map { String(cString: $0) } ?? "" }
      let key = names.key(text(1))
      keys[id] = key
      let isNumerical = sqlite3_column_int64(row, 7) == 1
      if isNumerical { numerical.insert(id) }
      let habit = LoopHabits.Described(
        name: text(1), question: text(5), note: text(6), numerator: Int(truncatingIfNeeded: sqlite3_column_int64(row, 2)),
        denominator: Int(truncatingIfNeeded: sqlite3_column_int64(row, 3)), isNumerical: isNumerical, unit: text(8),
        target: sqlite3_column_double(row, 9), isAtMost: sqlite3_column_int64(row, 10) == 1,
        isArchived: sqlite3_column_int64(row, 4) != 0, reminder: Self.reminder(row))
      let isKnown = [7, 10].allSatisfy { (0...1).contains(sqlite3_column_int64(row, $0)) }
      let contents = isKnown ? LoopHabits.contents(habit, key: key, firstDay: firstDays[id]) : [.fault(.badChoice)]
      habits += contents.map { ImportedRecord(part: "Habits", line: Int(truncatingIfNeeded: id), $0) }
    }
  }

  /// Finds which habits are limits: those start on the first day with any record.
  private func readLimits(_ type: String, _ targetType: String) throws(FormatFault) {
    let sql = "SELECT Id FROM Habits WHERE \(type) = 1 AND \(targetType) = 1 LIMIT \(Self.maxHabits)"
    try rows(sql) { row in limits.insert(sqlite3_column_int64(row, 0)) }
  }

  private static func reminder(_ row: OpaquePointer) -> LoopHabits.Reminder? {
    guard sqlite3_column_type(row, 11) != SQLITE_NULL, sqlite3_column_type(row, 12) != SQLITE_NULL else { return nil }
    let (hour, minute) = (sqlite3_column_int64(row, 11), sqlite3_column_int64(row, 12))
    let days = Int(truncatingIfNeeded: sqlite3_column_int64(row, 13))
    // A reminder on no day is none.
    guard (0..<24).contains(hour), (0..<60).contains(minute), days & LoopHabits.Reminder.everyDay != 0 else { return nil }
    return LoopHabits.Reminder(minutes: Int(hour * 60 + minute), days: days)
  }

  /// Finds the first day of each habit. Checkmarks with an invalid time are problems of their own and do not count.
  private func firstDays() throws(FormatFault) -> [Int64: LocalDay] {
    var days: [Int64: LocalDay] = [:]
    let columns = try markColumns()
    let sql = "SELECT \(Self.number("habit")), \(Self.number("timestamp")), \(columns.value), \(columns.hasNote) FROM Repetitions"
    try rows(sql) { row in
      let isMark = sqlite3_column_int64(row, 2) > 0 || sqlite3_column_int64(row, 3) != 0
      if isMark { markCount += 1 }
      guard let habit = Self.habit(row, 0), let day = Self.day(row, 1) else { return }
      let isKnown = sqlite3_column_type(row, 2) != SQLITE_NULL && sqlite3_column_int64(row, 2) >= 0
      guard isMark || isKnown && limits.contains(habit) else { return }
      if let first = days[habit] {
        days[habit] = min(first, day)
      } else if days.count < Self.maxHabits {
        days[habit] = day
      }
    }
    return days
  }

  /// SQL for the contents of a repetition: its value, which in older versions means done; its note; and whether there is a note.
  private func markColumns() throws(FormatFault) -> (value: String, note: String, hasNote: String) {
    let columns = try columns("Repetitions")
    guard columns.contains("notes") else {
      return (columns.contains("value") ? Self.number("value") : "2", "''", "0")
    }
    let note = "CASE WHEN typeof(notes) = 'text' THEN substr(notes, 1, \(Self.maxCharacters)) ELSE '' END"
    return (
      columns.contains("value") ? Self.number("value") : "2", note, "CASE WHEN typeof(notes) = 'text' THEN notes <> '' ELSE 0 END"
    )
  }

  /// The value of a column if it is a number; anything else is not even read.
  private static func number(_ column: String) -> String {
    "CASE WHEN typeof(\(column)) IN ('integer', 'real') THEN \(column) END"
  }

  private func beginMarks() throws(FormatFault) {
    let columns = try markColumns()
    marks = try prepare(
      """
      SELECT rowid, \(Self.number("habit")), \(Self.number("timestamp")), \(columns.value), \(columns.note) FROM Repetitions
      WHERE \(columns.value) > 0 OR \(columns.hasNote) ORDER BY rowid
      """)
  }

  /// The contents of a repetition; empty if nothing was done or noted.
  private func contents(_ row: OpaquePointer) -> [ImportedRecord.Content] {
    guard let habit = Self.habit(row, 1), let key = keys[habit] else { return [.fault(.unknownHabit)] }
    guard let day = Self.day(row, 2) else { return [.fault(.badTime)] }
    let note = sqlite3_column_text(row, 4).map { String(cString: $0) } ?? ""
    let mark = Self.mark(sqlite3_column_int64(row, 3), of: key, isNumerical: numerical.contains(habit), on: day)
    // The note comes first: nothing is recorded on a day that is excused.
    return LoopHabits.contents(note: note, of: key, on: day) + (mark.map { [$0] } ?? [])
  }

  private static func mark(
    _ value: Int64, of habit: String, isNumerical: Bool, on day: LocalDay
  ) -> ImportedRecord.Content? {
    // For numbers too, although the value could mean three thousandths.
    if value == skipped { return .skip(habit: habit, day) }
    if isNumerical {
      guard value > 0 else { return nil }
      guard value <= 1_000_000_000 else { return .fault(.badNumber) }
      return .mark(ImportedMark(habit: habit, day: day, progress: .amount(Double(value) / 1000)))
    }
    // The value 1 means that the habit was done often enough lately.
    return value == done ? .mark(ImportedMark(habit: habit, day: day, progress: .done)) : nil
  }

  /// Loop's values for a day that was checked by hand, and for one that is excused.
  private static let (done, skipped) = (Int64(2), Int64(3))

  private static func habit(_ row: OpaquePointer, _ column: Int32) -> Int64? {
    sqlite3_column_type(row, column) == SQLITE_INTEGER ? sqlite3_column_int64(row, column) : nil
  }

  /// The end of the days that are read, 2100-01-01, and the length of a day, both in milliseconds.
  private static let (end, dayLength) = (Int64(4_102_444_800_000), Int64(86_400_000))

  /// Loop stores a day as its UTC midnight in milliseconds.
  private static func day(_ row: OpaquePointer, _ column: Int32) -> LocalDay? {
    guard sqlite3_column_type(row, column) == SQLITE_INTEGER else { return nil }
    let timestamp = sqlite3_column_int64(row, column)
    guard timestamp >= 0, timestamp < end, timestamp % dayLength == 0 else { return nil }
    return LocalDay(daysSinceEpoch: Int32(timestamp / dayLength))
  }
}
