public import Operations

/// A time of day at which an activity's owner is reminded of it, by the clocks where they are: `07:30` (ACT-1).
///
/// One in the hours before the account's day starts belongs to the day before. A time that the clocks leave out comes when they have been
/// put forward, and one that they show twice comes the first time (NOT-2).
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

/// Marks the ids of reminders that came due.
public enum Reminder {}

/// An activity's owner is to be reminded of it now, or was to be while the service was down (NOT-2).
///
/// Each time of each day comes once, and once more whenever its owner asked to be reminded again. None comes of a day that is done, skipped,
/// paused or not planned, while the activity's timer runs, or to an account that is suspended.
public struct ReminderDue: Event, Hashable {
  /// Whose activity.
  public var accountID: AccountID
  /// Names this one reminder.
  public var reminderID: ID<Reminder>
  /// Of which activity.
  public var activityID: ActivityID
  /// What that is called now.
  public var title: String
  /// The account's day that is to be done.
  public var day: LocalDay
  /// For which time it was set.
  public var time: ReminderTime
  /// Whether its owner asked to be reminded again.
  public var isAgain: Bool
  /// When it was due.
  public var dueAt: Instant
  /// Until when it is worth an answer: the day's end, but no sooner than two hours and no later than a day after it was due.
  public var endsAt: Instant
  /// Whether it came too late to be sent.
  public var isMissed: Bool

  /// The event from its parts.
  public init(
    accountID: AccountID, reminderID: ID<Reminder>, activityID: ActivityID, title: String, day: LocalDay, time: ReminderTime,
    isAgain: Bool = false, dueAt: Instant, endsAt: Instant, isMissed: Bool = false
  ) {
    self.accountID = accountID
    self.reminderID = reminderID
    self.activityID = activityID
    self.title = title
    self.day = day
    self.time = time
    self.isAgain = isAgain
    self.dueAt = dueAt
    self.endsAt = endsAt
    self.isMissed = isMissed
  }

  public static let notes: Notes = [
    "accountID": "Whose activity.", "reminderID": "Names this one reminder.", "activityID": "Of which activity.",
    "title": ActivityText.title, "day": "The account's day that is to be done.", "time": "For which time it was set.",
    "isAgain": "Whether its owner asked to be reminded again.", "dueAt": "When it was due.",
    "endsAt":
      "Until when it is worth an answer: the day's end, but no sooner than two hours and no later than a day after it was due.",
    "isMissed": "Whether it came too late to be sent, as after the service was down.",
  ]

  public static let spec = EventSpec(
    "reminders.due", by: .activity, requirements: ["NOT-2"],
    "An activity's owner is to be reminded of it now, or was to be while the service was down.")
}

/// There is no longer a reason for the reminders that an account got of a day of an activity: it is done or skipped, or the activity rests, was
/// archived or deleted (NOT-2).
public struct ReminderWithdrawn: Event, Hashable {
  /// Whose activity.
  public var accountID: AccountID
  /// Of which activity.
  public var activityID: ActivityID
  /// Of which day.
  public var day: LocalDay

  /// The event from its parts.
  public init(accountID: AccountID, activityID: ActivityID, day: LocalDay) {
    self.accountID = accountID
    self.activityID = activityID
    self.day = day
  }

  public static let notes: Notes = [
    "accountID": "Whose activity.", "activityID": "Of which activity.", "day": "Of which day.",
  ]

  public static let spec = EventSpec(
    "reminders.withdrawn", by: .activity, requirements: ["NOT-2"],
    "There is no longer a reason for the reminders that an account got of a day of an activity.")
}
