import ActivityContract
import GRDB
import Operations

/// What is planned on a day.
enum Days {
  /// The account's activities planned on that day with their progress, in one query.
  static func plan(of account: AccountID, day: LocalDay, today: LocalDay, in database: Database) throws -> DayPlan {
    let statement = try database.cachedStatement(
      sql: """
        SELECT activities.*, entries.progress
        FROM activities LEFT JOIN entries ON entries.activity_id = activities.activity_id AND entries.day = ?
        WHERE activities.account_id = ? AND activities.start_day <= ?
        ORDER BY activities.activity_id
        """)
    var planned: [PlannedActivity] = []
    let rows = try Row.fetchCursor(statement, arguments: [day, account, day])
    while let row = try rows.next() {
      guard PlannedDays(kind: row["schedule_kind"], bits: row["schedule_bits"]).contains(day) else { continue }
      let activity = Activity(row)
      let measure = GoalMeasure(activity.goal)
      let progress: Int? = row["progress"]
      planned.append(
        PlannedActivity(
          activity, state: DayState(measure, progress: progress ?? 0, day: day, today: today),
          amount: progress.flatMap(measure.amount), durationSeconds: progress.flatMap(measure.durationSeconds)))
    }
    return DayPlan(day: day, activities: planned)
  }
}

extension DayName {
  /// The day that is meant.
  func resolved(today: LocalDay) -> LocalDay {
    switch self {
    case .today: today
    case .day(let day): day
    }
  }
}
