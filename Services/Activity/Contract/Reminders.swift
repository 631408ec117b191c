public import Operations

extension FeatureContract {
  static let reminders = FeatureContract(events: [ReminderDue.self, ReminderWithdrawn.self])
}

/// A local time of day at which an activity's owner is reminded of it: `07:30` (ACT-1).
///
/// A time before the hour at which the account's day starts belongs to the previous day. A time that the clocks skip comes right after they
/// are put forward; a time that occurs twice comes the first time (NOT-2).
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

/// The type of reminder ids.
public enum Reminder {}

/// A reminder of an activity is due, or came due while the service was down (NOT-2).
///
/// Each time of each day is published once, and once more for each time that the owner asked to be reminded again. Nothing is published for
/// a day that is done, skipped, paused or not planned, while the activity's timer runs, or for a suspended account.
public struct ReminderDue: Event, Hashable {
  /// The account that owns the activity.
  public var accountID: AccountID
  /// Identifies this reminder.
  public var reminderID: ID<Reminder>
  /// The activity.
  public var activityID: ActivityID
  /// The activity's present title.
  public var title: String
  /// The account's day for which the activity is planned.
  public var day: LocalDay
  /// The time for which the reminder was set.
  public var time: ReminderTime
  /// Whether the owner asked to be reminded again.
  public var isAgain: Bool
  /// When the reminder was due.
  public var dueAt: Instant
  /// Until when the reminder is useful: the day's end, but no sooner than two hours and no later than a day after it was due.
  public var endsAt: Instant
  /// Whether the reminder is too late to be sent.
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
    "accountID": "The account whose activity it is.", "reminderID": "Id of this one reminder.",
    "activityID": "The activity that it is about.",
    "title": ActivityText.title, "day": "The account's local day that the reminder is about.",
    "time": "The time for which it was set.",
    "isAgain": "Whether it comes because its owner asked to be reminded again.", "dueAt": "When it was due.",
    "endsAt":
      "Until when it can be answered: the day's end, but no sooner than two hours and no later than a day after it was due.",
    "isMissed": "Whether it was due too long ago to be sent, such as while the service was down.",
  ]

  public static let spec = EventSpec(
    "reminders.due", by: .activity, requirements: ["NOT-2"],
    "A reminder of an activity is due, or was due while the service was down.")
}

/// Withdraws an account's reminders of an activity for a day: the activity is done, skipped, paused, archived or deleted (NOT-2).
public struct ReminderWithdrawn: Event, Hashable {
  /// The account that owns the activity.
  public var accountID: AccountID
  /// The activity.
  public var activityID: ActivityID
  /// The day.
  public var day: LocalDay

  /// The event from its parts.
  public init(accountID: AccountID, activityID: ActivityID, day: LocalDay) {
    self.accountID = accountID
    self.activityID = activityID
    self.day = day
  }

  public static let notes: Notes = [
    "accountID": "The account whose activity it is.", "activityID": "The activity that it is about.",
    "day": "The day that it is about.",
  ]

  public static let spec = EventSpec(
    "reminders.withdrawn", by: .activity, requirements: ["NOT-2"],
    "The reminders that an account got for a day of an activity no longer have a reason.")
}
