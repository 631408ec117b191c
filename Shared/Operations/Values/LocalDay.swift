/// A calendar day of an account, without a time zone: `2026-11-21`. Proleptic Gregorian, years 1 to 9999.
public struct LocalDay: TextValue, Comparable, Strideable {
  /// Days since 1970-01-01.
  public let daysSinceEpoch: Int32

  public init(daysSinceEpoch: Int32) { self.daysSinceEpoch = daysSinceEpoch }

  /// A day from its parts; nil if the calendar has no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= LocalDay.length(ofMonth: month, year: year) else {
      return nil
    }
    // Days from civil, Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    let y = month <= 2 ? year - 1 : year
    let era = y / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    daysSinceEpoch = Int32(era * 146097 + dayOfEra - 719468)
  }

  public init(text: String) throws(FieldRule) {
    var text = text
    guard let value = text.withUTF8(LocalDay.read) else { throw FieldRule("not_a_day") }
    self = value
  }

  public init(utf8: UnsafeBufferPointer<UInt8>) throws(FieldRule) {
    guard let value = LocalDay.read(utf8) else { throw FieldRule("not_a_day") }
    self = value
  }

  private static func read(_ utf8: UnsafeBufferPointer<UInt8>) -> LocalDay? {
    var reader = DigitReader(utf8)
    guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
      let day = reader.digits(2), reader.isAtEnd
    else { return nil }
    return LocalDay(year: year, month: month, day: day)
  }

  /// Year, month (1…12) and day of the month.
  public var parts: (year: Int, month: Int, day: Int) {
    let z = Int(daysSinceEpoch) + 719468
    let era = (z >= 0 ? z : z - 146096) / 146097
    let dayOfEra = z - era * 146097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// ISO 8601: 1 is Monday, 7 is Sunday.
  public var weekday: Int { (((Int(daysSinceEpoch) + 3) % 7) + 7) % 7 + 1 }

  public var description: String {
    String(unsafeUninitializedCapacity: 10) { buffer in
      var writer = DigitWriter(buffer)
      write(to: &writer)
      return writer.count
    }
  }

  func write(to writer: inout DigitWriter) {
    let (year, month, day) = parts
    writer.put(year, 4)
    writer.put("-")
    writer.put(month, 2)
    writer.put("-")
    writer.put(day, 2)
  }

  public static func < (left: LocalDay, right: LocalDay) -> Bool { left.daysSinceEpoch < right.daysSinceEpoch }

  public func distance(to other: LocalDay) -> Int { Int(other.daysSinceEpoch) - Int(daysSinceEpoch) }

  public func advanced(by days: Int) -> LocalDay { LocalDay(daysSinceEpoch: daysSinceEpoch + Int32(days)) }

  public static let placeholder = LocalDay(daysSinceEpoch: 0)

  public static let schema: JSON = ["type": "string", "format": "date", "examples": ["2026-11-21"]]

  /// How many days the month has.
  public static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
