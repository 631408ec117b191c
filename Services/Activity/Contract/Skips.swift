public import Operations

extension FeatureContract {
  static let skips = FeatureContract(operations: [CreateSkip.self, DeleteSkip.self])
}

/// A planned day that the account skips: it is not due, and neither adds to a streak nor breaks it (ACT-14).
public struct Skip: Document, Hashable {
  /// The activity.
  public var activityID: ActivityID
  /// The day.
  public var day: LocalDay

  /// A skipped day from its parts.
  public init(activityID: ActivityID, day: LocalDay) {
    self.activityID = activityID
    self.day = day
  }

  public static let notes: Notes = ["activityID": "The activity.", "day": "The day."]
}

/// The activity, and the day to skip or no longer to skip.
public struct SkipInput: Document {
  /// Names the activity.
  public var activityID: ActivityID
  /// The day, or today.
  public var day: DayName

  /// The input from its parts.
  public init(activityID: ActivityID, day: DayName) {
    self.activityID = activityID
    self.day = day
  }

  /// How many days ahead of today can be skipped.
  public static let maxDaysAhead = 366

  public static let notes: Notes = [
    "activityID": "Id of the activity.", "day": "A day such as `2026-11-21`, at most 366 days ahead, or `today`.",
  ]
}

/// Skips a planned day (ACT-14). Idempotent. The day's entry stays, and counts again when the skip is removed.
public enum CreateSkip: AccountOperation {
  public typealias Input = SkipInput
  public typealias Output = Skip

  public static let spec = OperationSpec(
    "skips.create", of: .activity, .put("/v1/activities/{activityID}/skips/{day}"), by: .account, effect: .write,
    failures: [
      ActivityFailure.notFound.kind, ActivityFailure.archived.kind, EntryFailure.notPlanned.kind, EntryFailure.paused.kind,
    ], requirements: ["ACT-14"], "Skips a planned day of an activity.")
}

/// Removes the skip of a day (ACT-14). Idempotent.
public enum DeleteSkip: AccountOperation {
  public typealias Input = SkipInput
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "skips.delete", of: .activity, .delete("/v1/activities/{activityID}/skips/{day}"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-14"], "Undoes the skipping of a day.")
}
