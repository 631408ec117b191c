public import Operations

extension FeatureContract {
  static let calendars = FeatureContract(operations: [GetCalendar.self])
}

/// How many days a calendar shows (ACT-9).
public enum CalendarFormat: String, Choice {
  /// Monday to Sunday.
  case week
  /// The day's week and the one before.
  case twoWeeks
  /// The first to the last day of the month.
  case month
}

/// How an activity stood on the days of a week, two weeks or a month (ACT-9).
public struct ActivityCalendar: Document, Hashable {
  /// How many days the calendar shows.
  public var format: CalendarFormat
  /// The first day of the calendar.
  public var firstDay: LocalDay
  /// The last day of the calendar.
  public var lastDay: LocalDay
  /// A day of the preceding calendar; absent before 1970.
  public var previousDay: LocalDay?
  /// A day of the following calendar; absent after 2199.
  public var nextDay: LocalDay?
  /// Every day from the first to the last.
  public var days: [CalendarDay]

  /// A calendar from its parts.
  public init(
    format: CalendarFormat, firstDay: LocalDay, lastDay: LocalDay, previousDay: LocalDay?, nextDay: LocalDay?,
    days: [CalendarDay]
  ) {
    self.format = format
    self.firstDay = firstDay
    self.lastDay = lastDay
    self.previousDay = previousDay
    self.nextDay = nextDay
    self.days = days
  }

  public static let notes: Notes = [
    "format": "The number of days shown.", "firstDay": "The first of these days.", "lastDay": "The last of these days.",
    "previousDay": "The `day` to request for the calendar before; absent before 1970.",
    "nextDay": "The `day` to request for the calendar after; absent after 2199.",
    "days": "Every day from the first to the last.",
  ]
}

/// A day of a calendar.
public struct CalendarDay: Document, Hashable {
  /// The day.
  public var day: LocalDay
  /// The activity's state on the day; nil if it is not planned.
  public var state: DayState?
  /// For a quantity: how much was done.
  public var amount: Double?
  /// For a duration: how long was spent.
  public var durationSeconds: Int?

  /// A day from its parts.
  public init(day: LocalDay, state: DayState?, amount: Double? = nil, durationSeconds: Int? = nil) {
    self.day = day
    self.state = state
    self.amount = amount
    self.durationSeconds = durationSeconds
  }

  public static let notes: Notes = [
    "day": "The day.",
    "state": Note("The day's state; absent if nothing is planned. \(StreakText.states)"),
    "amount": "For a quantity: the amount done; absent without an entry.",
    "durationSeconds": "For a duration: the time spent; absent without an entry.",
  ]
}

/// Returns on which days an activity was done and on which it was not (ACT-9).
public enum GetCalendar: AccountOperation {
  /// Which days of which activity.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID
    /// How many days; a month by default.
    public var format: CalendarFormat?
    /// A day within the calendar; today by default.
    public var day: DayName?

    /// The input from its parts.
    public init(activityID: ActivityID, format: CalendarFormat? = nil, day: DayName? = nil) {
      self.activityID = activityID
      self.format = format
      self.day = day
    }

    public static let notes: Notes = [
      "activityID": "Id of the activity.",
      "format": """
      `week`: Monday to Sunday; `twoWeeks`: the day's week and the one before; `month` (if absent): the first to the last day of the month.
      """,
      "day": "A day of it, from `1970-01-01` to `2199-12-31`, or `today` (if absent).",
    ]
  }

  public typealias Output = ActivityCalendar

  public static let spec = OperationSpec(
    "calendars.get", of: .activity, .get("/v1/activities/{activityID}/calendar"), by: .account, effect: .read,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-9"],
    "Returns on which days of a week, two weeks or a month an activity was done and on which not.")
}
