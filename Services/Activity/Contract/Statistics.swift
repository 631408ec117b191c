public import Operations

extension FeatureContract {
  static let statistics = FeatureContract(operations: [GetStatistics.self])
}

/// Statistics of an account's activities, as its profile shows them (H CU-5).
public struct Statistics: Document, Hashable {
  /// How many activities the account has, archived ones included.
  public var activityCount: Int
  /// How many entries reached their goals, without paused or skipped days and limits whose days are open.
  public var doneCount: Int
  /// On how many days anything was done.
  public var activeDayCount: Int
  /// The streak of such days.
  public var streak: Streak
  /// The first such day.
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
    "activityCount": "The number of the account's activities, including archived ones.",
    "doneCount":
      "The number of entries that reached their goals, without those of paused or skipped days, and of limits whose day is not over.",
    "activeDayCount": "The number of days on which something was done.",
    "streak":
      "Days in a row on which something was done; a present day without anything done yet does not break the row, nor does a day lost by travelling.",
    "firstActiveDay": "The first day on which something was done.",
  ]
}

/// Returns the statistics of the caller, or of an account that the caller follows (H CU-5).
public enum GetStatistics: AccountOperation {
  /// Whose statistics.
  public struct Input: Document {
    /// An account that the caller follows; the caller by default.
    public var accountID: AccountID?

    /// The input from its parts.
    public init(accountID: AccountID? = nil) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "An account that the caller follows; the caller if absent."]
  }

  public typealias Output = Statistics

  public static let spec = OperationSpec(
    "statistics.get", of: .activity, .get("/v1/statistics"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-11", "ACT-13"],
    "Returns how much the caller has done, or an account that the caller follows.")
}
