import ActivityContract
import GRDB
import Operations
import Storage

extension DayStore {
  /// SQL for what the evaluation of an activity's day needs besides the entry's progress: the version that applied then, and whether the
  /// day was due.
  ///
  /// - Parameters:
  ///   - activity: SQL for the activity's id.
  ///   - day: SQL for the day.
  static func evaluation(_ activity: String, _ day: String) -> (columns: String, join: String) {
    (
      columns: """
      \(ActivityVersionStore.columns),
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

  /// Returns how an activity stands on a day, planned or not.
  static func state(
    _ row: Row, _ version: ActivityVersion, of activity: ActivityID, on day: LocalDay, _ days: AccountDays,
    in database: Database
  ) throws -> DayState {
    let evaluated = DayStore.evaluated(
      version, on: day, days, row["progress"], isPaused: row["is_paused"], isSkipped: row["is_skipped"])
    return try state(evaluated, of: activity, days, in: database)
  }

  /// Returns the state of an evaluated day.
  static func state(
    _ day: EvaluatedDay, of activity: ActivityID, _ days: AccountDays, in database: Database
  ) throws -> DayState {
    try DayState(day, week: try week(of: activity, around: day.day, days, in: database))
  }

  /// Evaluates a planned day.
  static func evaluated(
    _ version: ActivityVersion, on day: LocalDay, _ days: AccountDays, _ progress: Int?, isPaused: Bool, isSkipped: Bool
  ) -> EvaluatedDay {
    let outcome = version.measure.outcome(progress ?? 0, isOver: day < days.today)
    // A lost day does not count as missed.
    let isAsked = !isPaused && !isSkipped && (outcome != .missed || !days.lost.contains(day))
    return EvaluatedDay(
      day: day, version: version, progress: progress, outcome: isAsked ? outcome : nil, isPaused: isPaused)
  }

  private static let weekSQL = {
    let evaluation = DayStore.evaluation("?1", "week.day")
    return """
      WITH RECURSIVE week (day) AS (SELECT ?2 UNION ALL SELECT day + 1 FROM week WHERE day < ?2 + 6)
      SELECT week.day, \(evaluation.columns), entries.progress
      FROM week \(evaluation.join) LEFT JOIN entries ON entries.activity_id = ?1 AND entries.day = week.day
      ORDER BY week.day
      """
  }()

  /// Returns the outcome of a day's week, for an activity of so many times a week; nil where the week is too short for so many.
  static func week(
    of activity: ActivityID, around day: LocalDay, _ days: AccountDays, in database: Database
  ) throws -> EvaluatedDay.Outcome? {
    var week = EvaluatedWeek()
    try database.each(weekSQL, .id(activity), .day(day.monday)) { row in
      let (version, day) = (try ActivityVersion(row, behind: 0), row.day(0))
      guard version.isPlanned(on: day), let times = version.planned.timesAWeek else { return true }
      let progress = row.isNull(13) ? nil : row.number(13)
      let evaluated = DayStore.evaluated(version, on: day, days, progress, isPaused: row.truth(11), isSkipped: row.truth(12))
      week.add(evaluated, times: times)
      return true
    }
    return week.outcome(isOver: day.sunday < days.today)
  }
}
