import ActivityContract
import GRDB
import Operations

extension Days {
  /// What judging a day of an activity asks for beside the entry's progress: the version that held then, and whether the day was
  /// asked for.
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
    try DayState(judged(row, version, on: day, days), week: try week(of: activity, around: day, days, in: database))
  }

  private static func judged(_ row: Row, _ version: ActivityVersion, on day: LocalDay, _ days: AccountDays) -> JudgedDay {
    judged(version, on: day, days, row["progress"], isPaused: row["is_paused"], isSkipped: row["is_skipped"])
  }

  /// A planned day as it is judged.
  static func judged(
    _ version: ActivityVersion, on day: LocalDay, _ days: AccountDays, _ progress: Int?, isPaused: Bool, isSkipped: Bool
  ) -> JudgedDay {
    let outcome = version.measure.outcome(progress ?? 0, isOver: day < days.today)
    // A lost day is not held against anybody.
    let isAsked = !isPaused && !isSkipped && (outcome != .missed || !days.lost.contains(day))
    return JudgedDay(
      day: day, version: version, progress: progress, outcome: isAsked ? outcome : nil, isPaused: isPaused)
  }

  /// What the week of a day has come to, of an activity of so many times a week; nil where it is too short for so many.
  static func week(
    of activity: ActivityID, around day: LocalDay, _ days: AccountDays, in database: Database
  ) throws -> JudgedDay.Outcome? {
    let judging = judging("?1", "week.day")
    let statement = try database.cachedStatement(
      sql: """
        WITH RECURSIVE week (day) AS (SELECT ?2 UNION ALL SELECT day + 1 FROM week WHERE day < ?2 + 6)
        SELECT week.day AS day_of_week, \(judging.columns), entries.progress
        FROM week \(judging.join) LEFT JOIN entries ON entries.activity_id = ?1 AND entries.day = week.day
        ORDER BY week.day
        """)
    var week = JudgedWeek()
    let rows = try Row.fetchCursor(statement, arguments: [activity, day.monday])
    while let row = try rows.next() {
      let (version, day) = (ActivityVersion(row), row["day_of_week"] as LocalDay)
      guard version.isPlanned(on: day), let times = version.planned.timesAWeek else { continue }
      week.add(judged(row, version, on: day, days), times: times)
    }
    return week.outcome(isOver: day.sunday < days.today)
  }
}
