import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// The timers of all accounts: at most one per activity. Their time is in the store, so that it survives restarts and other devices see it.
enum TimerStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "timers") { database in
      try database.execute(
        sql: """
          CREATE TABLE timers (
            activity_id BLOB NOT NULL PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            -- the one on which it was first started
            day INTEGER NOT NULL,
            -- milliseconds of the runs that have ended
            elapsed INTEGER NOT NULL CHECK (elapsed >= 0),
            -- null while it stands
            running_since INTEGER
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX timers_by_account ON timers (account_id, activity_id);
          """)
    }
  }

  /// The timer of the account's activity; another account's is not found.
  static func find(_ activity: ActivityID, of account: AccountID, in database: Database) throws -> TimerClock? {
    try database.first(
      "SELECT day, elapsed, running_since FROM timers WHERE activity_id = ? AND account_id = ?", .id(activity), .id(account)
    ) { columns in
      TimerClock(
        day: columns.day(0), elapsed: Int64(columns.number(1)), runningSince: columns.isNull(2) ? nil : columns.instant(2))
    }
  }

  /// The day of an activity's timer, unless it is before the given day.
  static func day(of activity: ActivityID, from day: LocalDay, in database: Database) throws -> LocalDay? {
    try database.first("SELECT day FROM timers WHERE activity_id = ? AND day >= ?", .id(activity), .day(day)) { $0.day(0) }
  }

  static func put(_ clock: TimerClock, _ activity: ActivityID, of account: AccountID, in database: Database) throws {
    try database.run(
      """
      INSERT INTO timers (activity_id, account_id, day, elapsed, running_since) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (activity_id) DO UPDATE SET elapsed = ?4, running_since = ?5
      """, .id(activity), .id(account), .day(clock.day), .number(Int(clock.elapsed)),
      clock.runningSince.map(Bound.instant) ?? .null)
  }

  static func remove(_ activity: ActivityID, in database: Database) throws {
    try database.run("DELETE FROM timers WHERE activity_id = ?", .id(activity))
  }

  /// The account's timers, those of older activities first.
  static func list(
    of account: AccountID, _ page: PageRequest, at now: Instant, in database: Database
  ) throws -> Page<ActivityTimer> {
    let statement = try database.cachedStatement(
      sql: """
        SELECT activity_id, day, elapsed, running_since FROM timers
        WHERE account_id = ? AND activity_id > ? ORDER BY activity_id LIMIT ?
        """)
    let rows = try Row.fetchAll(
      statement, arguments: [account, page.cursor(ActivityID.init(text:)) ?? .placeholder, page.fetchLimit])
    return try page.page(of: rows, key: { $0["activity_id"] as ActivityID }) { row in
      let clock = TimerClock(day: row["day"], elapsed: row["elapsed"], runningSince: row["running_since"])
      return try shown(clock, row["activity_id"], of: account, at: now, in: database)
    }
  }

  /// A timer as clients see it.
  static func shown(
    _ clock: TimerClock, _ activity: ActivityID, of account: AccountID, at now: Instant, in database: Database
  ) throws -> ActivityTimer {
    // The remainder is the same whether the day is over or not.
    let goal = try ActivityStore.goal(activity, of: account, on: clock.day, today: clock.day, in: database)
    let saved = try EntryStore.find(activity, clock.day, in: database)?.progress ?? 0
    let elapsed = clock.seconds(at: now)
    return ActivityTimer(
      activityID: activity, day: clock.day, runningSince: clock.runningSince, elapsedSeconds: elapsed, savedSeconds: saved,
      remainingSeconds: max(0, goal.measure.target - saved - elapsed))
  }
}
