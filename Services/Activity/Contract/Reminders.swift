public import Operations

/// A time of day at which an activity's owner is reminded of it, by the clocks where they are: `07:30` (ACT-1).
///
/// One in the hours before the account's day starts belongs to the day before. Times are kept for clients and the calendar feed; the
/// service itself reminds nobody.
public struct ReminderTime: TextValue, Comparable {
  /// How many an activity may have.
  public static let maximum = 10

  /// Minutes after midnight, 0 to 1439.
  public let minutes: Int

  /// The time so many minutes after midnight; nil where a day has no such time.
  public init?(minutes: Int) {
    guard (0..<1440).contains(minutes) else { return nil }
    self.minutes = minutes
  }

  public init(text: String) throws(FieldRule) {
    let digits = text.utf8.map { Int($0) - 0x30 }
    guard digits.count == 5, text.utf8.dropFirst(2).first == UInt8(ascii: ":"),
      [0, 1, 3, 4].allSatisfy({ (0...9).contains(digits[$0]) }),
      case let (hour, minute) = (digits[0] * 10 + digits[1], digits[3] * 10 + digits[4]), hour < 24, minute < 60
    else { throw FieldRule("not_a_time_of_day") }
    minutes = hour * 60 + minute
  }

  public var description: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minutes / 60)):\(two(minutes % 60))"
  }

  public static func < (left: Self, right: Self) -> Bool { left.minutes < right.minutes }

  public static let placeholder = ReminderTime(trusted: 0)

  public static let schema: JSON = [
    "type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$", "examples": ["07:30"],
  ]

  private init(trusted minutes: Int) { self.minutes = minutes }
}
