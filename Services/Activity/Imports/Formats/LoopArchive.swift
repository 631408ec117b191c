import ActivityContract
import Operations

/// Reads the archive that Loop exports: habits, then their checkmarks. A habit's checkmarks are in its folder, with their notes, and in the
/// table of all habits, which is read only for habits without a folder: in older archives files in folders have no header.
final class LoopArchive: ImportReader {
  static let (habits, marks) = ("Habits.csv", "Checkmarks.csv")

  private let file: FileContents
  private let named: [LoopHabitRows.Named]
  private let hasFolder: Set<String>
  private var habitReader: CSVRecordReader?
  private var archive: Archive?
  private var reader: CSVRecordReader?

  init(_ file: FileContents) throws(FormatFault) {
    self.file = file
    var rows: LoopHabitRows?
    let habits = try CSVRecordReader(try EntrySource(Self.habits, of: file)) { names throws(FormatFault) in
      let made = try LoopHabitRows(names)
      rows = made
      return made
    }
    while try habits.next(maximum: 1000) != nil {}
    named = rows?.named ?? []
    let found = try Self.look(through: file, named)
    hasFolder = found.hasFolder
    habitReader = try CSVRecordReader(try EntrySource(Self.habits, of: file), part: Self.habits) { names throws(FormatFault) in
      try LoopHabitRows(names, firstDays: found.firstDays)
    }
  }

  var consumed: Int64 { habitReader?.consumed ?? archive?.consumed ?? 0 }
  var line: Int { habitReader?.line ?? reader?.line ?? 0 }

  func next(maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    if let habitReader {
      if let records = try habitReader.next(maximum: maximum) { return records }
      self.habitReader = nil
      archive = try Archive(file)
    }
    while true {
      if let records = try reader?.next(maximum: maximum) { return records }
      reader = nil
      guard let archive, let name = try archive.next() else { return nil }
      switch try Self.open(name, archive, named) {
      case .folder(let csv, let habit): reader = CSVRecordReader(csv, part: Self.part(name), LoopFolderRows(habit))
      case .table(let csv, let columns):
        let rest = columns.map { column in column.flatMap { hasFolder.contains($0.key) ? nil : $0 } }
        if rest.contains(where: { $0 != nil }) { reader = CSVRecordReader(csv, part: Self.marks, LoopMarkRows(rest)) }
      case .other: break
      }
    }
  }

  // MARK: - Files of marks

  private enum Marks {
    case folder(CSV, LoopHabitRows.Named)
    case table(CSV, [LoopMarkRows.Column?])
    case other
  }

  /// Opens the archive's present file after its header.
  private static func open(
    _ name: String, _ archive: Archive, _ named: [LoopHabitRows.Named]
  ) throws(FormatFault) -> Marks {
    if name == marks {
      var csv = CSV(EntrySource(archive))
      guard let head = try csv.nextText() else { return .other }
      if let columns = LoopMarkRows.columns(head, of: named) { return .table(csv, columns) }
      let names = head.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return .table(csv, try LoopMarkRows.columns(names, fields: nil))
    }
    guard let habit = habit(of: name, named) else { return .other }
    var csv = CSV(EntrySource(archive))
    guard case .row(_, LoopMarkRows.ofOneHabit)? = try csv.next() else { return .other }
    return .folder(csv, habit)
  }

  /// The habit to whose folder a file of checkmarks belongs: `003 Read/Checkmarks.csv` is of the third one.
  private static func habit(of name: String, _ named: [LoopHabitRows.Named]) -> LoopHabitRows.Named? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1] == marks, let number = Int(parts[0].prefix { $0 != " " }), number > 0,
      number <= named.count
    else { return nil }
    return named[number - 1]
  }

  private static func part(_ name: String) -> String? { TextValues.shortened(name, TakeoutArchive.maxName) }

  /// Finds the first day of each habit, and which habits have folders.
  private static func look(
    through file: FileContents, _ named: [LoopHabitRows.Named]
  ) throws(FormatFault) -> (firstDays: [String: LocalDay], hasFolder: Set<String>) {
    var (days, ofTable): ([String: LocalDay], [String: LocalDay]) = ([:], [:])
    var hasFolder: Set<String> = []
    let archive = try Archive(file)
    while let name = try archive.next() {
      switch try open(name, archive, named) {
      case .folder(let csv, let habit):
        let rows = LoopFolderRows(habit)
        try readAll(CSVRecordReader(csv, rows))
        days[habit.key] = rows.firstDay
        hasFolder.insert(habit.key)
      case .table(let csv, let columns):
        let rows = LoopMarkRows(columns)
        try readAll(CSVRecordReader(csv, rows))
        let limits = Set(named.filter(\.isLimit).map(\.key))
        ofTable = rows.firstDays.merging(rows.firstDaysAsLimit.filter { limits.contains($0.key) }) { min($0, $1) }
      case .other: break
      }
    }
    for (habit, day) in ofTable where !hasFolder.contains(habit) { days[habit] = day }
    return (days, hasFolder)
  }

  private static func readAll(_ reader: CSVRecordReader) throws(FormatFault) {
    while try reader.next(maximum: 1000) != nil {}
  }
}

/// A single `Checkmarks.csv`: the first day of each habit, then the checkmarks.
final class LoopMarkFile: ImportReader {
  private var beginnings: [ImportedRecord]
  private let reader: CSVRecordReader

  init(_ file: FileContents) throws(FormatFault) {
    let columns = try Self.columns(file)
    let rows = LoopMarkRows(columns)
    let first = CSVRecordReader(try Self.behindHead(file), rows)
    while try first.next(maximum: 1000) != nil {}
    beginnings = rows.firstDaysAsLimit.sorted { $0.key < $1.key }.map { habit, day in
      ImportedRecord(line: 1, .beginning(habit: habit, rows.firstDays[habit], asLimit: day))
    }
    reader = CSVRecordReader(try Self.behindHead(file), LoopMarkRows(columns))
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

  private static func columns(_ file: FileContents) throws(FormatFault) -> [LoopMarkRows.Column?] {
    var csv = CSV(FileSource(file))
    guard case .row(_, let names)? = try csv.next() else { throw .unrecognized }
    guard names != LoopMarkRows.ofOneHabit else { throw .habitMissing }
    guard case .row(_, let fields)? = try csv.next() else { return try LoopMarkRows.columns(names, fields: nil) }
    return try LoopMarkRows.columns(names, fields: fields.count)
  }

  private static func behindHead(_ file: FileContents) throws(FormatFault) -> CSV {
    var csv = CSV(FileSource(file))
    _ = try csv.next()
    return csv
  }
}
