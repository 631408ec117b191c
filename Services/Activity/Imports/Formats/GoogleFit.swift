import ActivityContract
import Operations

/// Reads Google Takeout's files of Fit: one of all days with a row per day, and one per day with a row per quarter of an hour.
///
/// A row has one distance, and a column with a duration for each way of moving: `Walking duration (ms)`. A distance covered in a single
/// known way counts for that way, and one covered by walking and running counts as walked. A distance covered both on foot and by wheel
/// counts for neither, since the shares are unknown. A distance without any duration, which Fit writes for short walks and for drives
/// alike, counts as walked if that is possible: at most two metres per step, or two metres per second of a quarter of an hour.
struct GoogleFit: CSVRows {
  /// Which of the two formats a table with these columns has; nil for neither. A column is missing where the whole file has no value for
  /// it.
  static func format(_ columns: Set<String>) -> ImportFormat? {
    guard columns.contains("Step count"), !columns.isDisjoint(with: ["Distance (m)", "Calories (kcal)", "Move Minutes count"])
    else { return nil }
    if columns.contains("Date") { return .googleFitDays }
    return columns.isSuperset(of: ["Start time", "End time"]) ? .googleFitDay : nil
  }

  static let days = ImportedSource(name: "Google Fit, days")
  static let quarters = ImportedSource(name: "Google Fit")

  private enum When {
    case day(Int)
    /// The columns of start and end, and the day from the file's name.
    case times(Int, Int, LocalDay)
  }

  private let when: When
  private let steps: Int
  private let distance: Int?
  /// The columns with the duration of each way of moving; absent where the whole file has none. Nil for ways that are not imported.
  private let durations: [(kind: ImportedSample.Kind?, column: Int)]
  private let source: ImportedSource

  /// - Parameter fileName: the name of a day's file, whose rows have times only.
  init(_ names: [String], fileName: String) throws(FormatFault) {
    guard let steps = names.firstIndex(of: "Step count") else { throw .unrecognized }
    if let day = names.firstIndex(of: "Date") {
      when = .day(day)
      // A separate source, so that only one report of the same steps counts.
      source = Self.days
    } else if let start = names.firstIndex(of: "Start time"), let end = names.firstIndex(of: "End time") {
      guard let day = Self.day(fileName) else { throw .dayMissing }
      when = .times(start, end, day)
      source = Self.quarters
    } else {
      throw .unrecognized
    }
    self.steps = steps
    distance = names.firstIndex(of: "Distance (m)")
    durations = names.enumerated().compactMap { column, name in
      guard let movement = Movement(column: name) else { return nil }
      return (movement.kind, column)
    }
  }

  /// A way of moving with a column of its own, by Fit's English names, which the columns have in every language.
  private enum Movement {
    case walking, running, cycling, other

    private static let walks: Set = [
      "Walking", "Paced walking", "Nordic walking", "Hiking", "Treadmill", "Treadmill walking", "Fitness walking",
      "Stair climbing",
    ]
    private static let runs: Set = ["Running", "Jogging", "Sand running", "Treadmill running"]
    private static let rides: Set = ["Biking", "Cycling", "Mountain biking", "Road biking", "Utility biking", "Hand biking"]
    /// Columns for states without movement.
    private static let rests: Set = [
      "Inactive", "Still", "Sleeping", "Light sleeping", "Deep sleeping", "REM sleeping", "Awake mid-sleeping", "Out of bed",
      "Meditating", "Yoga", "Pilates", "Strength training", "Weight lifting", "Weightlifting", "Calisthenics", "Push-up",
      "Push-ups", "Sit-ups", "Stationary biking", "Spinning", "Elliptical", "Rowing machine", "Stair climbing machine", "Unknown",
      "Other",
    ]
    private static let ending = " duration (ms)"

    /// Nil for a column that is not about movement.
    init?(column: String) {
      guard column.hasSuffix(Self.ending) else { return nil }
      let name = String(column.dropLast(Self.ending.count))
      if Self.rests.contains(name) { return nil }
      self =
        Self.walks.contains(name) ? .walking : Self.runs.contains(name) ? .running : Self.rides.contains(name) ? .cycling : .other
    }

    var kind: ImportedSample.Kind? {
      switch self {
      case .walking: .walkingDistance
      case .running: .runningDistance
      case .cycling: .cyclingDistance
      case .other: nil
      }
    }
  }

  /// `2017-04-02.csv`, or `2017-04-02(1).csv` for a second download.
  private static func day(_ fileName: String) -> LocalDay? {
    TextValues.read(fileName) { text in
      var scanner = TextScanner(text)
      return scanner.day()
    }
  }

  func records(_ row: CSVRow) -> [ImportedRecord] {
    guard let span = span(row) else { return [row.record(.fault(.badTime))] }
    let steps = row.fields[steps]
    var records: [ImportedRecord] = []
    var count: Int?
    if !steps.isEmpty {
      count = Int(steps).flatMap { (0...1_000_000).contains($0) ? $0 : nil }
      records.append(count.map { sample(.steps, span, $0, row) } ?? row.record(.fault(.badNumber)))
    } else if isOfQuarters {
      records.append(sample(.steps, span, 0, row))
    }
    return records + distances(row, span, steps: count ?? 0)
  }

  /// The distance of each way of moving in a row, in the order walking, running, cycling.
  private func distances(_ row: CSVRow, _ span: ImportedSpan, steps: Int) -> [ImportedRecord] {
    let (text, moved) = (distance.map { row.fields[$0] } ?? "", moved(row))
    var millimetres: Int? = 0
    if !text.isEmpty { millimetres = TextValues.read(text, TextValues.millionths).flatMap(LengthUnit.metre.millimetres) }
    var found: [ImportedSample.Kind: Int] = [:]
    var problem: ImportProblemReason?
    switch (Self.owner(of: moved, couldBeWalked: couldBeWalked(millimetres ?? 0, steps)), text.isEmpty) {
    case (_, false) where millimetres == nil: problem = .badNumber
    case (.one(let kind), let isBlank): if !isBlank || isOfQuarters { found[kind] = millimetres }
    case (.several, false): problem = .mixedMovement
    // A quarter with a drive is not a problem.
    case (.nobody, false): problem = isOfQuarters || millimetres == 0 || moved.hasOther ? nil : .unknownMovement
    case (_, true): break
    }
    if isOfQuarters {
      let kinds = Set([ImportedSample.Kind.walkingDistance] + durations.compactMap(\.kind))
      for kind in kinds.subtracting(moved.kinds) where found[kind] == nil { found[kind] = 0 }
      if problem == .badNumber, moved.kinds.isEmpty { found[.walkingDistance] = nil }
    }
    return found.sorted { $0.key.rawValue < $1.key.rawValue }.map { sample($0.key, span, $0.value, row) }
      + (problem.map { [row.record(.fault($0))] } ?? [])
  }

  /// The ways of moving in a row, according to its durations.
  private func moved(_ row: CSVRow) -> (kinds: Set<ImportedSample.Kind>, hasOther: Bool) {
    let moved = durations.filter { !row.fields[$0.column].isEmpty }
    return (Set(moved.compactMap(\.kind)), moved.contains { $0.kind == nil })
  }

  private enum Owner {
    case one(ImportedSample.Kind)
    case several
    case nobody
  }

  /// The way to which the distance of a row belongs: Fit counts drives too.
  private static func owner(
    of moved: (kinds: Set<ImportedSample.Kind>, hasOther: Bool), couldBeWalked: Bool
  ) -> Owner {
    guard let first = moved.kinds.min(by: { $0.rawValue < $1.rawValue }) else {
      return couldBeWalked && !moved.hasOther ? .one(.walkingDistance) : .nobody
    }
    return moved.kinds.count > 1 && moved.kinds.contains(.cyclingDistance) ? .several : .one(first)
  }

  /// Whether the distance could have been walked within the row.
  private func couldBeWalked(_ millimetres: Int, _ steps: Int) -> Bool {
    millimetres <= steps * 2000 || isOfQuarters && millimetres <= 900 * 2000
  }

  /// Whether blanks of a row mean zero. A day's file has every quarter of its day, and blanks where there was no movement: a sample of 0
  /// keeps that quarter from being filled with a share of the daily summary. In the summary of all days, a blank may also be a day before
  /// anything was measured.
  private var isOfQuarters: Bool { if case .times = when { true } else { false } }

  private func sample(_ kind: ImportedSample.Kind, _ span: ImportedSpan, _ amount: Int, _ row: CSVRow) -> ImportedRecord {
    row.record(
      .sample(ImportedSample(kind: kind, span: span, amount: amount, source: source, isManual: false, isTotal: true)))
  }

  private func span(_ row: CSVRow) -> ImportedSpan? {
    switch when {
    case .day(let column):
      return TextValues.read(row.fields[column]) { text in
        var scanner = TextScanner(text)
        guard let day = scanner.day(), scanner.isAtEnd else { return nil }
        return .day(day)
      }
    case .times(let from, let to, let day):
      guard let start = Self.time(row.fields[from], day), var end = Self.time(row.fields[to], day) else { return nil }
      // The last quarter ends at midnight of the next day.
      if end <= start { end = end.adding(seconds: 86_400) }
      return .instants(start, end)
    }
  }

  /// `02:45:00.000+11:00`: the offset distinguishes the two occurrences of a repeated hour.
  private static func time(_ text: String, _ day: LocalDay) -> Instant? {
    TextValues.read(text) { text in
      var scanner = TextScanner(text)
      guard let time = scanner.time(), let offset = scanner.offset(), scanner.isAtEnd else { return nil }
      return Instant(milliseconds: TextValues.milliseconds(day) + time - Int64(offset) * 60_000)
    }
  }
}
