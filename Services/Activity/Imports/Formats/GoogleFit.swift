import ActivityContract
import Operations

/// Google Takeout's files of Fit: one of all days, with a row a day, and one for each day, with a row for each quarter of an hour.
struct GoogleFit: CSVRows {
  static let dayColumns = ["Date", "Step count", "Distance (m)"]
  static let timeColumns = ["Start time", "End time", "Step count", "Distance (m)"]

  static let days = ImportedSource(name: "Google Fit, days")
  static let quarters = ImportedSource(name: "Google Fit")

  private enum When {
    case day(Int)
    /// Columns of start and end, and the day that the file's name says.
    case times(Int, Int, LocalDay)
  }

  private let when: When
  private let steps: Int
  private let distance: Int
  /// The columns that say how long somebody moved so; absent where nobody did in the whole file.
  private let durations: [(kind: ImportedSample.Kind, column: Int)]
  private let source: ImportedSource

  /// - Parameter fileName: of a day's file: its rows have times alone.
  init(_ names: [String], fileName: String) throws(FormatFault) {
    guard let steps = names.firstIndex(of: "Step count"), let distance = names.firstIndex(of: "Distance (m)") else {
      throw .unrecognized
    }
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
    self.distance = distance
    durations = [
      (.walkingDistance, "Walking duration (ms)"), (.runningDistance, "Running duration (ms)"),
      (.cyclingDistance, "Cycling duration (ms)"),
    ].compactMap { kind, name in names.firstIndex(of: name).map { (kind, $0) } }
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
    let moved = durations.filter { !row.fields[$0.column].isEmpty }.map(\.kind)
    var amounts: [(kind: ImportedSample.Kind, amount: Int?)] = []
    let (steps, distance) = (row.fields[steps], row.fields[distance])
    if !steps.isEmpty {
      amounts.append((.steps, Int(steps).flatMap { (0...1_000_000).contains($0) ? $0 : nil }))
    } else if isOfQuarters {
      amounts.append((.steps, 0))
    }
    if let kind = Self.kind(of: moved) {
      if !distance.isEmpty {
        amounts.append((kind, TextValues.read(distance, TextValues.millionths).flatMap(LengthUnit.metre.millimetres)))
      } else if isOfQuarters {
        amounts.append((kind, 0))
      }
    }
    if isOfQuarters {
      for (kind, _) in durations where !moved.contains(kind) { amounts.append((kind, 0)) }
    }
    return amounts.map { kind, amount in
      guard let amount else { return row.record(.fault(.badNumber)) }
      return sample(kind, span, amount, row)
    }
  }

  /// Whether blanks of a row say that there was nothing. A day's file has each quarter of its day, and leaves blank where nobody
  /// moved: a sample of nothing keeps that quarter from being filled with a share of what the summary of all days says of the same
  /// day. In that summary a blank may as well be a day before there was anything to measure with.
  private var isOfQuarters: Bool { if case .times = when { true } else { false } }

  private func sample(_ kind: ImportedSample.Kind, _ span: ImportedSpan, _ amount: Int, _ row: CSVRow) -> ImportedRecord {
    row.record(
      .sample(ImportedSample(kind: kind, span: span, amount: amount, source: source, isManual: false, isTotal: true)))
  }

  /// How the distance was covered, as far as the row's durations say: Fit counts drives, too. A distance covered in several ways of which
  /// one is cycling is nobody's.
  private static func kind(of moved: [ImportedSample.Kind]) -> ImportedSample.Kind? {
    moved.count > 1 && moved.contains(.cyclingDistance) ? nil : moved.first
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
