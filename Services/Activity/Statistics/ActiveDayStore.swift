import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// The number of done entries of an account on each day, so that its statistics need not scan its entries (H CU-5).
enum ActiveDayStore {
  /// The account's statistics as of today.
  static func statistics(of days: AccountDays, in database: Database) throws -> Statistics {
    let activities = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM activities WHERE account_id = ?"), arguments: [days.account])
    let uncounted = try uncounted(days, in: database)
    var run = ActiveRun(lost: days.lost)
    var done = 0
    try database.each(
      "SELECT day, done FROM active_days WHERE account_id = ? AND done > 0 ORDER BY day", .id(days.account)
    ) { row in
      let day = row.day(0)
      let counted = row.number(1) - (uncounted[day] ?? 0)
      if counted > 0 {
        run.add(day)
        done += counted
      }
      return true
    }
    return Statistics(
      activityCount: activities ?? 0, doneCount: done, activeDayCount: run.count, streak: run.streak(today: days.today),
      firstActiveDay: run.first)
  }

  /// Some entries stored as done do not count: those of days paused or skipped since, of limits whose day is open again after the account
  /// travelled, and of activities that are being deleted. The query starts from these causes, since they are few.
  private static let uncountedSQL = """
    SELECT day, count(*) FROM (
      SELECT entries.activity_id, entries.day
      FROM activities CROSS JOIN activity_pauses USING (activity_id) CROSS JOIN entries USING (activity_id)
      WHERE activities.account_id = ?1 AND entries.day BETWEEN first_day AND last_day AND is_done = 1
      UNION
      SELECT entries.activity_id, entries.day
      FROM activities CROSS JOIN activity_skips USING (activity_id)
        CROSS JOIN entries ON entries.activity_id = activity_skips.activity_id AND entries.day = activity_skips.day
      WHERE activities.account_id = ?1 AND is_done = 1
      UNION
      SELECT activity_id, day FROM entries
      WHERE account_id = ?1 AND day >= ?2 AND is_done = 1 AND (
        SELECT goal_direction FROM activity_versions
        WHERE activity_versions.activity_id = entries.activity_id AND from_day <= entries.day ORDER BY from_day DESC LIMIT 1
      ) = 'atMost'
      UNION
      SELECT activity_id, day FROM deleted_activities CROSS JOIN entries USING (activity_id)
      WHERE deleted_activities.account_id = ?1 AND is_done = 1)
    GROUP BY day
    """

  /// How many entries of each day do not count.
  private static func uncounted(_ days: AccountDays, in database: Database) throws -> [LocalDay: Int] {
    var uncounted: [LocalDay: Int] = [:]
    try database.each(uncountedSQL, .id(days.account), .day(days.today)) { row in
      uncounted[row.day(0)] = row.number(1)
      return true
    }
    return uncounted
  }
}
