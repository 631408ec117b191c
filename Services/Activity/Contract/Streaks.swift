public import Operations

extension FeatureContract {
  static let streaks = FeatureContract(events: [StreakChanged.self])
}

/// How long an activity was kept without a miss (ACT-10).
///
/// Counts planned days, or whole weeks where the schedule asks for so many days a week. Days that are not planned, paused, skipped or still
/// open neither add to a streak nor break it.
public struct Streak: Document, Hashable {
  /// What is counted.
  public enum Unit: String, Choice {
    /// Planned days.
    case days
    /// Weeks, Monday to Sunday.
    case weeks
  }

  /// The length of the streak that reaches up to now.
  public var current: Int
  /// The length of the longest streak so far.
  public var longest: Int
  /// What is counted.
  public var unit: Unit

  /// A streak from its parts.
  public init(current: Int, longest: Int, unit: Unit = .days) {
    self.current = current
    self.longest = longest
    self.unit = unit
  }

  public static let notes: Notes = [
    "current": "The number of days or weeks kept in a row up to now; one that is not over does not break the streak.",
    "longest": "The most days or weeks that were ever kept in a row.",
    "unit": "`days`: planned days; `weeks`: for schedules of so many times a week.",
  ]
}

/// Notes that several documents share.
enum StreakText {
  static let strength = Note(
    """
    The strength of the habit, from 0 to 1: the share of kept days, the latest counting most. For a daily activity, a day counts half \
    as much after 13 further ones, so a single missed day takes a twentieth away.
    """, range: 0...1, example: .number(0.948))

  static let states = """
    `done`; `partly`: some progress; `failed`: over without any progress, or a limit exceeded; `pending`: not over; `free`: without \
    progress, in a week that does not need the day; `skipped`; `paused`.
    """
}

// MARK: - Events

/// The present streak of an activity, whatever changed it: an entry, a pause, a skip, the archive, another schedule or goal, or the end of
/// a day or week (ACT-10).
public struct StreakChanged: Event, Hashable {
  /// The account that owns the activity.
  public var accountID: AccountID
  /// The activity.
  public var activityID: ActivityID
  /// The streak.
  public var streak: Streak
  /// The account's day on which the streak changed.
  public var day: LocalDay
  /// Of two states the one with the higher revision is the later.
  public var revision: Int

  /// The event from its parts.
  public init(accountID: AccountID, activityID: ActivityID, streak: Streak, day: LocalDay, revision: Int) {
    self.accountID = accountID
    self.activityID = activityID
    self.streak = streak
    self.day = day
    self.revision = revision
  }

  public static let notes: Notes = [
    "accountID": "The account whose activity it is.", "activityID": "The activity.", "streak": "The streak.",
    "day": "The account's local day of this state.",
    "revision": "Of two states, the one with the higher revision is the later.",
  ]

  public static let spec = EventSpec(
    "streaks.changed", by: .activity, requirements: ["ACT-10", "SOC-6"],
    "An activity's streak changed: it was kept, missed, paused or changed, or a day ended.")
}
