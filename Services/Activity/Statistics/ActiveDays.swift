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

  /// The account's statistics as of that day.
  static func statistics(of account: AccountID, today: LocalDay, in database: Database) throws -> Statistics {
    let activities = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM activities WHERE account_id = ?"), arguments: [account])
    let rows = try Row.fetchCursor(
      database.cachedStatement(sql: "SELECT day, done FROM active_days WHERE account_id = ? AND done > 0 ORDER BY day"),
      arguments: [account])
    var run = ActiveRun()
    var done = 0
    while let row = try rows.next() {
      run.add(row[0])
      done += row[1]
    }
    return Statistics(
      activityCount: activities ?? 0, doneCount: done, activeDayCount: run.count, streak: run.streak(today: today),
      firstActiveDay: run.first)
  }
}

/// Days on which something was done, in a row.
struct ActiveRun {
  private(set) var count = 0
  private(set) var first: LocalDay?
  private var last: LocalDay?
  private var current = 0
  private var longest = 0

  /// Adds a day behind those before it.
  mutating func add(_ day: LocalDay) {
    count += 1
    if first == nil { first = day }
    current = last?.advanced(by: 1) == day ? current + 1 : 1
    longest = max(longest, current)
    last = day
  }

  /// A today on which nothing is done yet breaks no row. Of days beyond today, as an account has that has gone west, the row goes on.
  func streak(today: LocalDay) -> Streak {
    guard let last else { return Streak(current: 0, longest: 0) }
    return Streak(current: last.advanced(by: 1) >= today ? current : 0, longest: longest)
  }
}
