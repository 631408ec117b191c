import ActivityContract
import GRDB
import Operations
import Storage

/// What is planned on a day.
enum DayStore {
  private static let planSQL = {
    let evaluation = DayStore.evaluation("activities.activity_id", "?1")
    return """
      SELECT activities.activity_id, title, reason, category, \(evaluation.columns), entries.progress
      FROM activities \(evaluation.join)
        LEFT JOIN entries ON entries.activity_id = activities.activity_id AND entries.day = ?1
      WHERE activities.account_id = ?2 AND (activities.archived_day IS NULL OR activities.archived_day > ?1)
        AND (?3 IS NULL OR instr(activities.title_key, ?3) > 0)
        AND (?4 IS NULL OR activities.category = ?4)
        AND (?5 IS NULL OR activity_versions.goal_kind = ?5)
      ORDER BY activities.position, activities.activity_id
      """
  }()

  /// Returns the account's activities planned on that day with their progress, in one query; where any of so many times a week has no
  /// progress, the week of all is read too.
  static func plan(
    of days: AccountDays, day: LocalDay, _ filters: DayFilters = DayFilters(), in database: Database
  ) throws -> DayPlan {
    var planned: [PlannedActivity] = []
    var week = AccountWeek(of: days, around: day, in: database)
    try database.each(
      planSQL, .day(day), .id(days.account), .text(TitleKey.search(filters.title)), .text(filters.category?.rawValue),
      .text(filters.goalKind?.rawValue)
    ) { row in
      let version = try ActivityVersion(row, behind: 3)
      guard version.isPlanned(on: day) else { return true }
      let id: ActivityID = try row.id(0)
      let progress = row.isNull(16) ? nil : row.number(16)
      let evaluated = DayStore.evaluated(version, on: day, days, progress, isPaused: row.truth(14), isSkipped: row.truth(15))
      planned.append(
        PlannedActivity(
          id: id, title: row.text(1), reason: row.isNull(2) ? nil : row.text(2), category: try row.choice(3),
          goal: version.goal, state: try DayState(evaluated, week: try week.outcome(id, version)),
          amount: progress.flatMap(version.measure.amount), durationSeconds: progress.flatMap(version.measure.durationSeconds)))
      return true
    }
    return DayPlan(day: day, activities: planned)
  }
}

/// Filters for the activities of a day; an activity has to pass all that are given (ACT-4).
struct DayFilters: Sendable {
  /// A part of the title; case and accents are ignored.
  var title: String?
  var category: ActivityCategory?
  var goalKind: Goal.Kind?
}

extension ListedDay {
  /// The named day.
  func resolved(today: LocalDay) -> LocalDay {
    switch self {
    case .today: today
    case .day(let day): day
    }
  }
}

extension DayName {
  /// The named day.
  func resolved(today: LocalDay) -> LocalDay {
    switch self {
    case .today: today
    case .day(let day): day
    }
  }
}
