import ActivityContract
import GRDB
import Operations

/// What is planned on a day.
enum Days {
  /// The account's activities planned on that day with their progress, in one query.
  static func plan(
    of account: AccountID, day: LocalDay, _ filters: DayFilters = DayFilters(), today: LocalDay, _ calendar: LocalCalendar,
    in database: Database
  ) throws -> DayPlan {
    let isLost = try LostDays.find(account, calendar, in: database).contains(day)
    let statement = try database.cachedStatement(
      sql: """
        SELECT activities.*, \(ActivityVersions.columns), entries.progress,
          EXISTS (SELECT 1 FROM activity_pauses WHERE activity_pauses.activity_id = activities.activity_id
            AND first_day <= ?1 AND last_day >= ?1) AS is_paused,
          EXISTS (SELECT 1 FROM activity_skips WHERE activity_skips.activity_id = activities.activity_id AND day = ?1) AS is_skipped
        FROM activities
          JOIN activity_versions ON activity_versions.activity_id = activities.activity_id
            AND activity_versions.from_day = (SELECT max(from_day) FROM activity_versions AS latest
              WHERE latest.activity_id = activities.activity_id AND latest.from_day <= ?1)
          LEFT JOIN entries ON entries.activity_id = activities.activity_id AND entries.day = ?1
        WHERE activities.account_id = ?2 AND (activities.archived_day IS NULL OR activities.archived_day > ?1)
          AND (?3 IS NULL OR instr(activities.title_key, ?3) > 0)
          AND (?4 IS NULL OR activities.category = ?4)
          AND (?5 IS NULL OR activity_versions.goal_kind = ?5)
        ORDER BY activities.place, activities.activity_id
        """)
    var planned: [PlannedActivity] = []
    let rows = try Row.fetchCursor(
      statement, arguments: [day, account, TitleKey.search(filters.title), filters.category, filters.goalKind])
    while let row = try rows.next() {
      let version = ActivityVersion(row)
      guard version.isPlanned(on: day) else { continue }
      let activity = Activity(row, version)
      let (measure, progress) = (version.measure, row["progress"] as Int?)
      let (isPaused, isSkipped): (Bool, Bool) = (row["is_paused"], row["is_skipped"])
      let outcome = measure.outcome(progress ?? 0, isOver: day < today)
      let isAsked = !isPaused && !isSkipped && (outcome != .missed || !isLost)
      let judged = JudgedDay(
        day: day, version: version, progress: progress, outcome: isAsked ? outcome : nil, isPaused: isPaused)
      let state = try DayState(
        judged,
        isWeekMissed: try isWeekMissed(
          of: activity.id, of: account, around: day, today: today, calendar, in: database))
      planned.append(
        PlannedActivity(
          activity, state: state, amount: progress.flatMap(measure.amount),
          durationSeconds: progress.flatMap(measure.durationSeconds)))
    }
    return DayPlan(day: day, activities: planned)
  }

  /// Whether the week of a day is over and was not kept, of an activity of so many times a week.
  private static func isWeekMissed(
    of activity: ActivityID, of account: AccountID, around day: LocalDay, today: LocalDay, _ calendar: LocalCalendar,
    in database: Database
  ) throws -> Bool {
    guard day.sunday < today else { return false }
    let progress = try Entries.progress(of: activity, from: day.monday, to: day.sunday, in: database)
    let plan = try Plans.find(activity, of: account, calendar, in: database)
    var week = JudgedWeek()
    plan.judge(progress, from: day.monday, to: day.sunday, today: today) { day in
      if let times = day.timesAWeek { week.add(day, times: times) }
    }
    return week.outcome(isOver: true) == .missed
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
