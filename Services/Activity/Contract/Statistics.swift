public import Operations

/// What a profile shows of an account's activities (H CU-5).
public struct Statistics: Document, Hashable {
  /// How many activities it has, the archived ones included.
  public var activityCount: Int
  /// How many entries reached their goals, but for days that are paused or skipped, and limits whose days are open.
  public var doneCount: Int
  /// On how many days something was done.
  public var activeDayCount: Int
  /// How many such days there are in a row.
  public var streak: Streak
  /// The first of them.
  public var firstActiveDay: LocalDay?

  /// Statistics from their parts.
  public init(activityCount: Int, doneCount: Int, activeDayCount: Int, streak: Streak, firstActiveDay: LocalDay?) {
    self.activityCount = activityCount
    self.doneCount = doneCount
    self.activeDayCount = activeDayCount
    self.streak = streak
    self.firstActiveDay = firstActiveDay
  }

  public static let notes: Notes = [
    "activityCount": "How many activities the account has, archived ones included.",
    "doneCount":
      "How many entries reached their goals; none of a day that is paused or skipped, nor of a limit whose day is open.",
    "activeDayCount": "On how many days something was done.",
    "streak":
      "Days in a row on which something was done; a today on which nothing is done yet breaks none, nor does a day lost by travelling.",
    "firstActiveDay": "The first day on which something was done.",
  ]
}

/// Shows the statistics of one's own profile, or of somebody whom one follows (H CU-5).
public enum GetStatistics: AccountOperation {
  /// Whose.
  public struct Input: Document {
    /// Somebody whom the caller follows; the caller by default.
    public var accountID: AccountID?

    /// The input from its parts.
    public init(accountID: AccountID? = nil) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "Somebody whom you follow; you yourself if absent."]
  }

  public typealias Output = Statistics

  public static let spec = OperationSpec(
    "statistics.get", of: .activity, .get("/v1/statistics"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-11", "ACT-13"],
    "Show how much an account has done: your own, or that of somebody whom you follow.")
}
