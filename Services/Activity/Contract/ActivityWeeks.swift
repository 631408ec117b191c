public import Operations

extension FeatureContract {
  static let activityWeeks = FeatureContract(operations: [GetActivityWeeks.self])
}

/// The account and the week that a summary is about.
public struct WeekOfAccount: Document, Hashable {
  public var accountID: AccountID
  /// The first of the week's seven local days.
  public var firstDay: LocalDay

  public init(accountID: AccountID, firstDay: LocalDay) {
    self.accountID = accountID
    self.firstDay = firstDay
  }

  public static let notes: Notes = [
    "accountID": "The account whose week it is.", "firstDay": "The first of its seven local days.",
  ]
}

/// What an account did in a week that is over (NOT-3).
public struct ActivityWeek: Document, Hashable {
  public var accountID: AccountID
  public var steps: Int
  /// How many days have any movement.
  public var walkedDays: Int
  /// How many entries are done.
  public var doneEntries: Int
  /// The longest unbroken streaks, at most ``maxStreaks``.
  public var keptStreaks: [KeptStreak]
  public var keptStreakCount: Int
  /// The titles of the activities whose streaks were broken, at most ``maxStreaks``.
  public var brokenStreaks: [String]
  public var brokenStreakCount: Int

  /// The maximum number of streaks that are named.
  public static let maxStreaks = 10

  public init(
    accountID: AccountID, steps: Int, walkedDays: Int, doneEntries: Int, keptStreaks: [KeptStreak], keptStreakCount: Int,
    brokenStreaks: [String], brokenStreakCount: Int
  ) {
    self.accountID = accountID
    self.steps = steps
    self.walkedDays = walkedDays
    self.doneEntries = doneEntries
    self.keptStreaks = keptStreaks
    self.keptStreakCount = keptStreakCount
    self.brokenStreaks = brokenStreaks
    self.brokenStreakCount = brokenStreakCount
  }

  public static let notes: Notes = [
    "accountID": "The account whose week it is.", "steps": "The account's steps in that week.",
    "walkedDays": "The number of days with steps.",
    "doneEntries": "The number of entries that reached their goals.",
    "keptStreaks": "The longest active streaks, at most 10.", "keptStreakCount": "The number of active streaks.",
    "brokenStreaks": "The titles of the activities whose streaks were broken, at most 10.",
    "brokenStreakCount": "The number of broken streaks.",
  ]
}

/// A streak that went on over a week.
public struct KeptStreak: Document, Hashable {
  public var title: String
  public var current: Int
  public var unit: Streak.Unit

  public init(title: String, current: Int, unit: Streak.Unit) {
    self.title = title
    self.current = current
    self.unit = unit
  }

  public static let notes: Notes = [
    "title": "The activity's title.", "current": "The number of days or weeks in a row.", "unit": "`days` or `weeks`.",
  ]
}

/// Returns what accounts did in past weeks, for their weekly summaries (NOT-3).
public enum GetActivityWeeks: OpenOperation {
  public struct Input: Document {
    public var weeks: [WeekOfAccount]

    public init(weeks: [WeekOfAccount]) { self.weeks = weeks }

    public static let notes: Notes = ["weeks": Note("The accounts and their weeks.", items: 1...50)]
  }

  public struct Output: Document, Hashable {
    public var weeks: [ActivityWeek]

    public init(weeks: [ActivityWeek]) { self.weeks = weeks }

    public static let notes: Notes = ["weeks": "One for each of the requested ones, in the same order."]
  }

  public static let spec = OperationSpec(
    "activityWeeks.get", of: .activity, nil, by: .services([.notifications]), effect: .read, requirements: ["NOT-3"],
    "Returns what accounts did in past weeks.")
}
