import ActivityContract
import GRDB
import Operations

/// What is planned on a day.
enum Days {
  /// The account's activities planned on that day with their progress, in one query; where any of so many times a week has none,
  /// the week of all is read beside.
  static func plan(
    of days: AccountDays, day: LocalDay, _ filters: DayFilters = DayFilters(), in database: Database
  ) throws -> DayPlan {
    let judging = judging("activities.activity_id", "?1")
    let statement = try database.cachedStatement(
      sql: """
        SELECT activities.*, \(judging.columns), entries.progress
        FROM activities \(judging.join)
          LEFT JOIN entries ON entries.activity_id = activities.activity_id AND entries.day = ?1
        WHERE activities.account_id = ?2 AND (activities.archived_day IS NULL OR activities.archived_day > ?1)
          AND (?3 IS NULL OR instr(activities.title_key, ?3) > 0)
          AND (?4 IS NULL OR activities.category = ?4)
          AND (?5 IS NULL OR activity_versions.goal_kind = ?5)
        ORDER BY activities.place, activities.activity_id
        """)
    var planned: [PlannedActivity] = []
    var week = AccountWeek(of: days, around: day, in: database)
    let rows = try Row.fetchCursor(
      statement, arguments: [day, days.account, TitleKey.search(filters.title), filters.category, filters.goalKind])
    while let row = try rows.next() {
      let version = ActivityVersion(row)
      guard version.isPlanned(on: day) else { continue }
      let activity = Activity(row, version)
      let (measure, progress) = (version.measure, row["progress"] as Int?)
      planned.append(
        PlannedActivity(
          activity, state: try state(row, version, on: day, days, week: try week.outcome(activity.id)),
          amount: progress.flatMap(measure.amount), durationSeconds: progress.flatMap(measure.durationSeconds)))
    }
    return DayPlan(day: day, activities: planned)
  }
}

/// Which activities of a day are meant; those that pass all filters that say something (ACT-4).
struct DayFilters: Sendable {
  /// A part of the title, whatever its case and accents.
  var title: String?
  var category: ActivityCategory?
  var goalKind: Goal.Kind?
}

extension ListedDay {
  /// The day that is meant.
  func resolved(today: LocalDay) -> LocalDay {
    switch self {
    case .today: today
    case .day(let day): day
    }
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
