import ActivityContract
import GRDB
import Operations

extension Days {
  /// What ``state(_:_:of:on:_:in:)`` reads beside an entry's `progress`: the version that held on a day and whether the day was asked
  /// for, of an activity.
  ///
  /// - Parameters:
  ///   - activity: SQL for the activity's id.
  ///   - day: SQL for the day.
  static func judging(_ activity: String, _ day: String) -> (columns: String, join: String) {
    (
      columns: """
      \(ActivityVersions.columns),
      EXISTS (SELECT 1 FROM activity_pauses WHERE activity_pauses.activity_id = \(activity)
        AND first_day <= \(day) AND last_day >= \(day)) AS is_paused,
      EXISTS (SELECT 1 FROM activity_skips WHERE activity_skips.activity_id = \(activity)
        AND activity_skips.day = \(day)) AS is_skipped
      """,
      join: """
      JOIN activity_versions ON activity_versions.activity_id = \(activity)
        AND activity_versions.from_day = (SELECT max(from_day) FROM activity_versions AS latest
          WHERE latest.activity_id = \(activity) AND latest.from_day <= \(day))
      """
    )
  }

  /// How an activity stands on a day, planned or not.
  static func state(
    _ row: Row, _ version: ActivityVersion, of activity: ActivityID, on day: LocalDay, _ days: AccountDays,
    in database: Database
  ) throws -> DayState {
    try state(
      row, version, on: day, days, isWeekMissed: try isWeekMissed(of: activity, around: day, days, in: database))
  }

  /// The same where it is known otherwise how its week went.
  static func state(
    _ row: Row, _ version: ActivityVersion, on day: LocalDay, _ days: AccountDays,
    isWeekMissed: @autoclosure () throws -> Bool
  ) throws -> DayState {
    let progress = row["progress"] as Int?
    let (isPaused, isSkipped): (Bool, Bool) = (row["is_paused"], row["is_skipped"])
    let outcome = version.measure.outcome(progress ?? 0, isOver: day < days.today)
    // A lost day is not held against anybody.
    let isAsked = !isPaused && !isSkipped && (outcome != .missed || !days.lost.contains(day))
    let judged = JudgedDay(
      day: day, version: version, progress: progress, outcome: isAsked ? outcome : nil, isPaused: isPaused)
    return try DayState(judged, isWeekMissed: try isWeekMissed())
  }
}
