import ActivityContract
import Operations

/// What Loop Habit Tracker keeps, in its database as in its CSV files, made into habits and marks of ours.
enum LoopHabits {
  /// A habit as Loop describes it.
  struct Described {
    var name: String
    var question: String
    var note: String
    var numerator: Int
    var denominator: Int
    var isNumerical: Bool
    var unit: String
    var target: Double
    var isAtMost: Bool
    var isArchived: Bool
  }

  /// Names the habits of a list: by name, and where there are several of one name by which of them it is. So database and CSV of one
  /// backup, and a later backup, name a habit alike.
  struct Keys {
    private var counts: [String: Int] = [:]

    mutating func key(_ name: String) -> String {
      let name = String(String.UnicodeScalarView(name.unicodeScalars.prefix(200)))
      counts[name, default: 0] += 1
      return "\(name)#\(counts[name] ?? 1)"
    }
  }

  /// Longest texts of an activity.
  private static var maxTitle: Int { ContentLimits.current.activityTitle }
  private static var maxReason: Int { ContentLimits.current.activityReason }
  private static let maxUnit = 20

  /// The habit, or why it cannot be one. Texts that are too long for an activity are cut.
  static func habit(_ habit: Described, key: String, firstDay: LocalDay?) -> ImportedRecord.Content {
    let title = TextValues.shortened(habit.name, maxTitle)
    guard let title else { return .fault(.missingValue) }
    guard let frequency = frequency(habit.numerator, habit.denominator) else { return .fault(.badSchedule) }
    var goal = Goal.check
    if habit.isNumerical {
      let target = (habit.target * 1000).rounded() / 1000
      guard habit.target < 0 || target != 0 else { return .fault(.zeroGoal) }
      guard (0.001...Amounts.maximum).contains(target) else { return .fault(.badNumber) }
      goal = .quantity(target, unit: TextValues.shortened(habit.unit, maxUnit) ?? "×", habit.isAtMost ? .atMost : .atLeast)
    }
    return .habit(
      ImportedHabit(
        key: key, title: title,
        reason: TextValues.shortened(habit.question, maxReason) ?? TextValues.shortened(habit.note, maxReason),
        frequency: frequency, goal: goal, firstDay: firstDay, isArchived: habit.isArchived))
  }

  /// So many times in so many days, as a schedule of ours: once in n days, k times a week, and what is neither as so many times a week as
  /// come nearest.
  static func frequency(_ numerator: Int, _ denominator: Int) -> ImportedHabit.Frequency? {
    guard numerator > 0, denominator > 0, denominator <= 3650 else { return nil }
    if numerator >= denominator { return .daily }
    if denominator == 7 { return .timesAWeek(numerator) }
    if numerator == 1, denominator <= 365 { return .everyDays(denominator) }
    let aWeek = (Double(numerator) * 7 / Double(denominator)).rounded()
    return .timesAWeek(min(7, max(1, Int(aWeek))))
  }
}

/// `Habits.csv`: the habits, in Loop's order.
final class LoopHabitRows: CSVRows {
  static let columns = ["Name", "FrequencyNumerator", "FrequencyDenominator"]

  private let columns: [String: Int]
  private let firstDays: [String: LocalDay]
  private var keys = LoopHabits.Keys()

  /// - Parameter firstDays: the first marked day of each habit, where the marks are at hand.
  init(_ names: [String], firstDays: [String: LocalDay] = [:]) throws(FormatFault) {
    columns = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    self.firstDays = firstDays
    guard Self.columns.allSatisfy({ columns[$0] != nil }) else { throw .unrecognized }
  }

  func records(_ row: CSVRow) -> [ImportedRecord] {
    func field(_ names: String...) -> String { names.lazy.compactMap { self.columns[$0] }.first.map { row.fields[$0] } ?? "" }
    let key = keys.key(field("Name"))
    guard let numerator = Int(field("FrequencyNumerator", "NumRepetitions")),
      let denominator = Int(field("FrequencyDenominator", "Interval"))
    else { return [row.record(.fault(.badSchedule))] }
    let (kind, direction, archived) = (field("Type"), field("Target Type"), field("Archived?").lowercased())
    // A column that is not there says nothing.
    guard ["", "YES_NO", "NUMERICAL"].contains(kind), ["", "AT_LEAST", "AT_MOST"].contains(direction),
      ["", "true", "false"].contains(archived)
    else { return [row.record(.fault(.badChoice))] }
    let habit = LoopHabits.Described(
      name: field("Name"), question: field("Question"), note: field("Description"), numerator: numerator,
      denominator: denominator, isNumerical: kind == "NUMERICAL", unit: field("Unit"),
      target: Double(field("Target Value")) ?? .nan, isAtMost: direction == "AT_MOST", isArchived: archived == "true")
    return [row.record(LoopHabits.habit(habit, key: key, firstDay: firstDays[key]))]
  }
}

/// `Checkmarks.csv`: a row a day, a column a habit.
final class LoopMarkRows: CSVRows {
  private let keys: [String]

  init(_ names: [String]) throws(FormatFault) {
    guard names.count > 1, names[0] == "Date" else { throw .unrecognized }
    var keys = LoopHabits.Keys()
    // Loop ends each line with a comma.
    self.keys = names.dropFirst().map { $0.isEmpty ? "" : keys.key($0) }
  }

  func records(_ row: CSVRow) -> [ImportedRecord] {
    let day = TextValues.read(row.fields[0]) { text in
      var scanner = TextScanner(text)
      guard let day = scanner.day(), scanner.isAtEnd else { return LocalDay?.none }
      return day
    }
    guard let day, PlannableDays.all.contains(day) else { return [row.record(.fault(.badTime))] }
    return zip(keys, row.fields.dropFirst()).compactMap { key, field -> ImportedRecord? in
      guard !key.isEmpty else { return nil }
      switch field {
      // Not done, not known, done enough lately, or excused: nothing was done that day.
      case "", "NO", "UNKNOWN", "YES_AUTO", "SKIP": return nil
      case "YES_MANUAL": return row.record(.mark(ImportedMark(habit: key, day: day, progress: .done)))
      default:
        guard let thousandths = Int(field), (0...1_000_000_000).contains(thousandths) else {
          return row.record(.fault(.badNumber))
        }
        guard thousandths > 0 else { return nil }
        return row.record(.mark(ImportedMark(habit: key, day: day, progress: .amount(Double(thousandths) / 1000))))
      }
    }
  }
}

/// The archive that Loop exports: habits, then marks.
final class LoopArchive: ImportReader {
  static let (habits, marks) = ("Habits.csv", "Checkmarks.csv")

  private var readers: [CSVRecordReader]

  init(_ file: FileContents) throws(FormatFault) {
    let firstDays = try Self.firstDays(file)
    readers = [
      try CSVRecordReader(try EntrySource(Self.habits, of: file), part: Self.habits) { names throws(FormatFault) in
        try LoopHabitRows(names, firstDays: firstDays)
      },
      try CSVRecordReader(try EntrySource(Self.marks, of: file), part: Self.marks) { names throws(FormatFault) in
        try LoopMarkRows(names)
      },
    ]
  }

  var consumed: Int64 { readers.first?.consumed ?? 0 }
  var line: Int { readers.first?.line ?? 0 }

  func next(maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    while let reader = readers.first {
      if let records = try reader.next(maximum: maximum) { return records }
      readers.removeFirst()
    }
    return nil
  }

  private static func firstDays(_ file: FileContents) throws(FormatFault) -> [String: LocalDay] {
    try LoopMarkRows.firstDays(try EntrySource(marks, of: file))
  }
}

/// `Checkmarks.csv` by itself: the day on which each habit begins, then the marks.
final class LoopMarkFile: ImportReader {
  private var beginnings: [ImportedRecord]
  private let reader: CSVRecordReader

  init(_ file: FileContents) throws(FormatFault) {
    beginnings = try LoopMarkRows.firstDays(FileSource(file)).sorted { $0.key < $1.key }.map { habit, day in
      ImportedRecord(line: 1, .beginning(habit: habit, day))
    }
    reader = try CSVRecordReader(FileSource(file)) { names throws(FormatFault) in try LoopMarkRows(names) }
  }

  var consumed: Int64 { reader.consumed }
  var line: Int { reader.line }

  func next(maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    guard beginnings.isEmpty else {
      defer { beginnings = [] }
      return beginnings
    }
    return try reader.next(maximum: maximum)
  }
}

extension LoopMarkRows {
  /// The first day on which each habit was marked.
  static func firstDays(_ source: any ByteSource) throws(FormatFault) -> [String: LocalDay] {
    let reader = try CSVRecordReader(source) { names throws(FormatFault) in try LoopMarkRows(names) }
    var days: [String: LocalDay] = [:]
    while let records = try reader.next(maximum: 1000) {
      for case .mark(let mark) in records.map(\.content) { days[mark.habit] = min(days[mark.habit] ?? mark.day, mark.day) }
    }
    return days
  }
}
