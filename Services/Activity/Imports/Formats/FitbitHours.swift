import ActivityContract
import Operations

/// Fitbit's hourly steps: `Id,ActivityHour,…,StepTotal`, in local time without a zone.
final class FitbitHours: CSVRows {
  /// Columns by which the format is recognised.
  static let columns = ["Id", "ActivityHour", "StepTotal"]

  private let id: Int
  private let hour: Int
  private let steps: Int
  /// The person whose rows are imported; without a request, the first one in the file.
  private var person: String?
  /// Whether that person was requested: then other people's rows are ignored, otherwise each is a fault.
  private let isAskedFor: Bool
  private var isFound = false
  /// The persons in the file, in its order, that were seen before the first row of the requested one.
  private var others: [String] = []

  /// The maximum length of a person's name that is kept.
  private static let maxCharacters = 64

  init(_ names: [String], person: String?) throws(FormatFault) {
    guard let id = names.firstIndex(of: "Id"), let hour = names.firstIndex(of: "ActivityHour"),
      let steps = names.firstIndex(of: "StepTotal")
    else { throw .unrecognized }
    self.id = id
    self.hour = hour
    self.steps = steps
    self.person = person
    isAskedFor = person != nil
  }

  static let source = ImportedSource(name: "Fitbit")
  static let hourLength: Int64 = 3_600_000

  func records(_ row: CSVRow) -> [ImportedRecord] {
    let name = row.fields[id]
    if person == nil { person = name }
    guard name == person else {
      guard isAskedFor else { return [row.record(.fault(.otherPerson))] }
      if !isFound { note(name) }
      return []
    }
    isFound = true
    guard let start = TextValues.read(row.fields[hour], Self.start) else { return [row.record(.fault(.badTime))] }
    guard let count = Int(row.fields[steps]), (0...1_000_000).contains(count) else { return [row.record(.fault(.badNumber))] }
    let sample = ImportedSample(
      kind: .steps, span: .local(start, start + Self.hourLength), amount: count, source: Self.source, isManual: false,
      isTotal: true)
    return [row.record(.sample(sample))]
  }

  /// Fails if the requested person has no row but others have: most likely the name was misspelt.
  func finish() throws(FormatFault) {
    guard isFound || others.isEmpty else { throw .unknownPerson(others) }
  }

  /// Remembers a person: one more than are listed, to show whether the list is complete.
  private func note(_ name: String) {
    guard others.count <= Import.maxPersons, let name = TextValues.shortened(name, Self.maxCharacters), !others.contains(name)
    else { return }
    others.append(name)
  }

  /// `3/12/2016 0:00`, or with `12:00:00 AM` for the time.
  private static func start(_ text: TextBytes) -> Int64? {
    var scanner = TextScanner(text)
    let month = scanner.someDigits(maximum: 2).value
    guard scanner.take("/") else { return nil }
    let number = scanner.someDigits(maximum: 2).value
    guard scanner.take("/"), let year = scanner.digits(4), let day = LocalDay(year: year, month: month, day: number),
      scanner.take(" ")
    else { return nil }
    var hour = scanner.someDigits(maximum: 2).value
    guard scanner.take(":"), let minute = scanner.digits(2), minute < 60 else { return nil }
    if scanner.take(":"), scanner.digits(2) == nil { return nil }
    if scanner.take(" ") {
      let isMorning = scanner.take("A")
      guard isMorning || scanner.take("P"), scanner.take("M"), (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (isMorning ? 0 : 12)
    }
    guard hour < 24, scanner.isAtEnd else { return nil }
    return TextValues.milliseconds(day) + Int64(hour * 60 + minute) * 60_000
  }
}
