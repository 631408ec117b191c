import ActivityContract
import Operations

/// `Habits.csv`: the habits, in Loop's order.
final class LoopHabitRows: CSVRows {
  static let columns = ["Name", "FrequencyNumerator", "FrequencyDenominator"]

  /// The maximum number of habits whose checkmarks are read; an account may have far fewer.
  private static let maxNamed = 10_000

  /// What the checkmarks need to know of a habit.
  struct Named: Sendable {
    let name: String
    let key: String
    let isNumerical: Bool
    let isLimit: Bool
  }

  private let columns: [String: Int]
  private let firstDays: [String: LocalDay]
  private var keys = LoopHabits.Keys()
  /// The habits read so far, in order.
  private(set) var named: [Named] = []

  /// - Parameter firstDays: the first day of each habit, where the checkmarks are available.
  init(_ names: [String], firstDays: [String: LocalDay] = [:]) throws(FormatFault) {
    columns = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    self.firstDays = firstDays
    guard Self.columns.allSatisfy({ columns[$0] != nil }) else { throw .unrecognized }
  }

  func records(_ row: CSVRow) -> [ImportedRecord] {
    func field(_ names: String...) -> String { names.lazy.compactMap { self.columns[$0] }.first.map { row.fields[$0] } ?? "" }
    let (key, kind, direction) = (keys.key(field("Name")), field("Type"), field("Target Type"))
    if named.count < Self.maxNamed {
      named.append(Named(name: field("Name"), key: key, isNumerical: kind == "NUMERICAL", isLimit: direction == "AT_MOST"))
    }
    guard let numerator = Int(field("FrequencyNumerator", "NumRepetitions")),
      let denominator = Int(field("FrequencyDenominator", "Interval"))
    else { return [row.record(.fault(.badSchedule))] }
    let archived = field("Archived?").lowercased()
    // A missing column has no value.
    guard ["", "YES_NO", "NUMERICAL"].contains(kind), ["", "AT_LEAST", "AT_MOST"].contains(direction),
      ["", "true", "false"].contains(archived)
    else { return [row.record(.fault(.badChoice))] }
    let habit = LoopHabits.Described(
      name: field("Name"), question: field("Question"), note: field("Description"), numerator: numerator,
      denominator: denominator, isNumerical: kind == "NUMERICAL", unit: field("Unit"),
      target: Double(field("Target Value")) ?? .nan, isAtMost: direction == "AT_MOST", isArchived: archived == "true")
    return LoopHabits.contents(habit, key: key, firstDay: firstDays[key]).map(row.record)
  }
}

/// Loop's values for a habit on a day.
enum LoopMark {
  /// Returns the content of a value; nil where nothing was done: not done, unknown, or done often enough lately.
  static func content(_ field: String, of habit: String, isNumerical: Bool?, on day: LocalDay) -> ImportedRecord.Content? {
    switch field {
    case "", "NO", "UNKNOWN": return nil
    case "SKIP": return .skip(habit: habit, day)
    // For numbers these are one and two thousandths, which Loop writes like checkmarks.
    case "YES_AUTO": return isNumerical == true ? amount(1, of: habit, on: day) : nil
    case "YES_MANUAL":
      return isNumerical == true ? amount(2, of: habit, on: day) : .mark(ImportedMark(habit: habit, day: day, progress: .done))
    default:
      guard let thousandths = Int(field), (0...1_000_000_000).contains(thousandths) else { return .fault(.badNumber) }
      return thousandths > 0 ? amount(thousandths, of: habit, on: day) : nil
    }
  }

  private static func amount(_ thousandths: Int, of habit: String, on day: LocalDay) -> ImportedRecord.Content {
    .mark(ImportedMark(habit: habit, day: day, progress: .amount(Double(thousandths) / 1000)))
  }

  /// Whether a habit has begun by that day: something was done, excused or noted. For a limit, doing nothing counts too.
  static func isBeginning(_ field: String, note: String = "", ofLimit isLimit: Bool) -> Bool {
    if !note.isBlank { return true }
    switch field {
    case "YES_MANUAL", "SKIP": return true
    case "NO", "YES_AUTO": return isLimit
    default: return Int(field).map { $0 > 0 || $0 == 0 && isLimit } ?? false
    }
  }

  static func day(_ field: String) -> LocalDay? {
    let day = TextValues.read(field) { text in
      var scanner = TextScanner(text)
      guard let day = scanner.day(), scanner.isAtEnd else { return LocalDay?.none }
      return day
    }
    return day.flatMap { PlannableDays.all.contains($0) ? $0 : nil }
  }
}

/// `Checkmarks.csv` of all habits: one row per day, one column per habit.
///
/// Loop does not escape the names in the header, whatever commas they contain, and ends each line with a comma.
final class LoopMarkRows: CSVRows {
  /// The header of the checkmarks of one habit, in its folder.
  static let ofOneHabit = ["Date", "Value", "Notes"]

  /// A column; nil for one without a habit.
  struct Column: Sendable {
    let key: String
    let isNumerical: Bool?
  }

  private let columns: [Column?]
  /// The first day of each habit in the rows read so far, and the same if it is a limit.
  private(set) var (firstDays, firstDaysAsLimit): ([String: LocalDay], [String: LocalDay]) = ([:], [:])

  init(_ columns: [Column?]) { self.columns = columns }

  /// The columns of known habits, at most one each and in their order; nil if the header does not match.
  static func columns(_ head: String, of habits: [LoopHabitRows.Named]) -> [Column?]? {
    guard head.hasPrefix("Date,") else { return nil }
    var rest = head.dropFirst(5)
    var columns: [Column?] = []
    for habit in habits where rest.hasPrefix("\(habit.name),") {
      rest = rest.dropFirst(habit.name.count + 1)
      columns.append(Column(key: habit.key, isNumerical: habit.isNumerical))
    }
    return rest.isEmpty && !columns.isEmpty ? columns + [nil] : nil
  }

  /// The columns of unknown habits: one for each name. If that makes more columns than a row has fields, a name that begins with a blank
  /// belongs to the one before, as in `Read, write`.
  ///
  /// - Throws: ``FormatFault/ambiguousNames`` if they still do not match.
  static func columns(_ names: [String], fields: Int?) throws(FormatFault) -> [Column?] {
    guard names.count > 1, names[0] == "Date" else { throw .unrecognized }
    var titles = Array(names.dropFirst())
    if let fields, fields < names.count {
      var joined: [String] = []
      for title in titles {
        if title.first == " ", let last = joined.popLast() { joined.append("\(last),\(title)") } else { joined.append(title) }
      }
      guard joined.count + 1 == fields else { throw .ambiguousNames }
      titles = joined
    }
    var keys = LoopHabits.Keys()
    return titles.map { $0.isEmpty ? nil : Column(key: keys.key($0), isNumerical: nil) }
  }

  func records(_ row: CSVRow) -> [ImportedRecord] {
    guard row.fields.count == columns.count + 1 else { return [row.record(.fault(.badRow))] }
    guard let day = LoopMark.day(row.fields[0]) else { return [row.record(.fault(.badTime))] }
    return zip(columns, row.fields.dropFirst()).compactMap { column, field -> ImportedRecord? in
      guard let column else { return nil }
      if LoopMark.isBeginning(field, ofLimit: false) { firstDays[column.key] = min(firstDays[column.key] ?? day, day) }
      if LoopMark.isBeginning(field, ofLimit: true) {
        firstDaysAsLimit[column.key] = min(firstDaysAsLimit[column.key] ?? day, day)
      }
      return LoopMark.content(field, of: column.key, isNumerical: column.isNumerical, on: day).map(row.record)
    }
  }
}

/// The checkmarks in one habit's folder: one row per day, with its note.
final class LoopFolderRows: CSVRows {
  private let habit: LoopHabitRows.Named
  private(set) var firstDay: LocalDay?

  init(_ habit: LoopHabitRows.Named) { self.habit = habit }

  func records(_ row: CSVRow) -> [ImportedRecord] {
    guard row.fields.count == LoopMarkRows.ofOneHabit.count else { return [row.record(.fault(.badRow))] }
    guard let day = LoopMark.day(row.fields[0]) else { return [row.record(.fault(.badTime))] }
    let (field, note) = (row.fields[1], row.fields[2])
    if LoopMark.isBeginning(field, note: note, ofLimit: habit.isLimit) { firstDay = min(firstDay ?? day, day) }
    // The note comes first: nothing is recorded on a day that is excused.
    let mark = LoopMark.content(field, of: habit.key, isNumerical: habit.isNumerical, on: day)
    return (LoopHabits.contents(note: note, of: habit.key, on: day) + (mark.map { [$0] } ?? [])).map(row.record)
  }
}
