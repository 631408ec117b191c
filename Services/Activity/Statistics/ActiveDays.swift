import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// How much an account did on each day: what its statistics are made of, so that they need not go through its entries (H CU-5).
enum ActiveDays {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "active days") { try $0.execute(sql: StatisticsSchema.activeDays) }
  }

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

  /// Entries are kept as done that do not count: of days that are paused or skipped since, and of limits whose day is open again where
  /// the account travelled. Found from what makes them such, for these are few.
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
      ) = 'atMost')
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

/// Days on which something was done, in a row.
struct ActiveRun {
  /// The days that the account lost: they neither add to a row nor break it.
  private let lost: Set<LocalDay>
  private(set) var count = 0
  private(set) var first: LocalDay?
  private var last: LocalDay?
  private var current = 0
  private var longest = 0

  init(lost: Set<LocalDay> = []) { self.lost = lost }

  /// Adds a day behind those before it.
  mutating func add(_ day: LocalDay) {
    count += 1
    if first == nil { first = day }
    current = last.map { goesOn(from: $0, to: day) } == true ? current + 1 : 1
    longest = max(longest, current)
    last = day
  }

  /// A today on which nothing is done yet breaks no row. Of days beyond today, as an account has that has gone west, the row goes on.
  func streak(today: LocalDay) -> Streak {
    guard let last else { return Streak(current: 0, longest: 0) }
    return Streak(current: goesOn(from: last, to: today) ? current : 0, longest: longest)
  }

  /// Whether all days between the two were lost.
  private func goesOn(from last: LocalDay, to day: LocalDay) -> Bool {
    var next = last.advanced(by: 1)
    while next < day, lost.contains(next) { next = next.advanced(by: 1) }
    return next >= day
  }
}
