import ActivityContract
import Operations

/// Fitbit's hourly steps: `Id,ActivityHour,…,StepTotal`, in local time without a zone.
struct FitbitHours {
  /// Columns by which the format is known.
  static let columns = ["Id", "ActivityHour", "StepTotal"]

  private let id: Int
  private let hour: Int
  private let steps: Int
  private let width: Int
  /// Whose rows are taken: of a file with several people's, one's.
  private let person: Person

  private final class Person {
    var name: String?
    /// Whether it was chosen, so that other people's rows are no fault.
    let isChosen: Bool

    init(_ name: String?) {
      self.name = name
      isChosen = name != nil
    }
  }

  init(_ names: [String], person: String?) throws(FormatFault) {
    guard let id = names.firstIndex(of: "Id"), let hour = names.firstIndex(of: "ActivityHour"),
      let steps = names.firstIndex(of: "StepTotal")
    else { throw .unrecognized }
    self.id = id
    self.hour = hour
    self.steps = steps
    width = names.count
    self.person = Person(person)
  }

  private static let source = ImportedSource(name: "Fitbit")
  private static let hourLength: Int64 = 3_600_000

  func records(_ row: CSVRow) -> [ImportedRecord] {
    let name = row.fields[id]
    if person.name == nil { person.name = name }
    guard name == person.name else { return person.isChosen ? [] : [row.record(.fault(.otherPerson))] }
    guard let start = TextValues.read(row.fields[hour], Self.start) else { return [row.record(.fault(.badTime))] }
    guard let count = Int(row.fields[steps]), (0...1_000_000).contains(count) else { return [row.record(.fault(.badNumber))] }
    let sample = ImportedSample(
      kind: .steps, span: .local(start, start + Self.hourLength), amount: count, source: Self.source, isManual: false)
    return [row.record(.sample(sample))]
  }

  /// `3/12/2016 0:00`, or with `12:00:00 AM` for the time.
  private static func start(_ text: TextBytes) -> Int64? {
    var scanner = TextScanner(text)
    let month = scanner.someDigits(most: 2).value
    guard scanner.take("/") else { return nil }
    let number = scanner.someDigits(most: 2).value
    guard scanner.take("/"), let year = scanner.digits(4), let day = LocalDay(year: year, month: month, day: number),
      scanner.take(" ")
    else { return nil }
    var hour = scanner.someDigits(most: 2).value
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
