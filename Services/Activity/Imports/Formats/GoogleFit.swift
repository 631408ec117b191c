import ActivityContract
import Operations

/// Google Takeout's files of Fit: one of all days, with a row a day, and one for each day, with a row for each quarter of an hour.
///
/// A row has one distance, and a column with a duration for each way in which somebody moved: `Walking duration (ms)`. Of a distance
/// covered in one way that is kept it says so. Of one that was covered on foot and by wheel it does not say how much was which, so
/// that is nobody's. Of one without any such duration, which Fit writes for short walks as for drives, what could have been walked
/// counts as walked: no more than two metres a step, or than two metres a second of a quarter of an hour.
struct GoogleFit: CSVRows {
  /// Which of the two a table with these columns is; nil of another one. There is no column for what nobody had in the whole file.
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
    /// Columns of start and end, and the day that the file's name says.
    case times(Int, Int, LocalDay)
  }

  private let when: When
  private let steps: Int
  private let distance: Int?
  /// The columns that say how long somebody moved so; absent where nobody did in the whole file. Nil for ways that are not kept.
  private let durations: [(kind: ImportedSample.Kind?, column: Int)]
  private let source: ImportedSource

  /// - Parameter fileName: of a day's file: its rows have times alone.
  init(_ names: [String], fileName: String) throws(FormatFault) {
    guard let steps = names.firstIndex(of: "Step count") else { throw .unrecognized }
    if let day = names.firstIndex(of: "Date") {
      when = .day(day)
      // Not the same source: of the same steps, reported twice, one report counts.
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

  /// A way to move that has a column of its own, by Fit's English names, which the columns have in each language.
  private enum Movement {
    case walking, running, cycling, other

    private static let walks: Set = [
      "Walking", "Paced walking", "Nordic walking", "Hiking", "Treadmill", "Treadmill walking", "Fitness walking",
      "Stair climbing",
    ]
    private static let runs: Set = ["Running", "Jogging", "Sand running", "Treadmill running"]
    private static let rides: Set = ["Biking", "Cycling", "Mountain biking", "Road biking", "Utility biking", "Hand biking"]
    /// Columns of those who do not move from the spot, whatever they do there.
    private static let rests: Set = [
      "Inactive", "Still", "Sleeping", "Light sleeping", "Deep sleeping", "REM sleeping", "Awake mid-sleeping", "Out of bed",
      "Meditating", "Yoga", "Pilates", "Strength training", "Weight lifting", "Weightlifting", "Calisthenics", "Push-up",
      "Push-ups", "Sit-ups", "Stationary biking", "Spinning", "Elliptical", "Rowing machine", "Stair climbing machine", "Unknown",
      "Other",
    ]
    private static let ending = " duration (ms)"

    /// Nil of a column that says nothing of a movement.
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

  /// `2017-04-02.csv`, also as `2017-04-02(1).csv` of a second download.
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

  /// What a row says of each way to cover a distance; in the order walking, running, cycling.
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
    // A quarter that was driven is nothing to speak of.
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

  /// In which ways somebody moved in a row, as far as its durations say.
  private func moved(_ row: CSVRow) -> (kinds: Set<ImportedSample.Kind>, hasOther: Bool) {
    let moved = durations.filter { !row.fields[$0.column].isEmpty }
    return (Set(moved.compactMap(\.kind)), moved.contains { $0.kind == nil })
  }

  private enum Owner {
    case one(ImportedSample.Kind)
    case several
    case nobody
  }

  /// How the distance of a row was covered: Fit counts drives, too.
  private static func owner(
    of moved: (kinds: Set<ImportedSample.Kind>, hasOther: Bool), couldBeWalked: Bool
  ) -> Owner {
    guard let first = moved.kinds.min(by: { $0.rawValue < $1.rawValue }) else {
      return couldBeWalked && !moved.hasOther ? .one(.walkingDistance) : .nobody
    }
    return moved.kinds.count > 1 && moved.kinds.contains(.cyclingDistance) ? .several : .one(first)
  }

  /// Whether somebody may have walked so far within the row.
  private func couldBeWalked(_ millimetres: Int, _ steps: Int) -> Bool {
    millimetres <= steps * 2000 || isOfQuarters && millimetres <= 900 * 2000
  }

  /// Whether blanks of a row say that there was nothing. A day's file has each quarter of its day, and leaves blank where nobody
  /// moved: a sample of nothing keeps that quarter from being filled with a share of what the summary of all days says of the same
  /// day. In that summary a blank may as well be a day before there was anything to measure with.
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
      // The last quarter ends at the next day's midnight.
      if end <= start { end = end.adding(seconds: 86_400) }
      return .instants(start, end)
    }
  }

  /// `02:45:00.000+11:00`: with its offset, so that the hour that a day has twice is two.
  private static func time(_ text: String, _ day: LocalDay) -> Instant? {
    TextValues.read(text) { text in
      var scanner = TextScanner(text)
      guard let time = scanner.time(), let offset = scanner.offset(), scanner.isAtEnd else { return nil }
      return Instant(milliseconds: TextValues.milliseconds(day) + time - Int64(offset) * 60_000)
    }
  }
}
