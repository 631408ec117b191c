import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// The entries of limits that are kept so far, on days that are not over: whether they are done is known, and published, only when the day
/// ends.
///
/// `closes_at` says when to check each of them; 0 where that is not known yet.
enum OpenLimitStore {
  /// How many entries are checked in one transaction.
  static let batch = 100

  static func migration(_ number: Int) -> Migration {
    Migration(number, "open limits") { try $0.execute(sql: sql) }
  }

  /// Entries that counted as done before their days were over are open again; the days of the others are over by now.
  private static let sql = """
    ALTER TABLE entries ADD COLUMN closes_at INTEGER;
    CREATE INDEX entries_by_closing ON entries (closes_at) WHERE closes_at IS NOT NULL;

    UPDATE entries SET is_done = 0, closes_at = 0
    WHERE is_done = 1 AND day >= unixepoch() / 86400 - 1 AND (
      SELECT goal_direction FROM activity_versions
      WHERE activity_versions.activity_id = entries.activity_id AND from_day <= entries.day ORDER BY from_day DESC LIMIT 1
    ) = 'atMost';
    """

  /// Whether any entry is due for a check.
  static func areDue(at now: Instant, in database: Database) throws -> Bool {
    try database.first("SELECT 1 FROM entries WHERE closes_at <= ? LIMIT 1", .instant(now)) { _ in true } ?? false
  }

  /// Marks all open entries of an account for another check, since its days may end at other times than before.
  static func recheck(of account: AccountID, _ transaction: Transaction) throws {
    // The open days are the account's last ones, or later ones where it travelled.
    let day = LocalDay(daysSinceEpoch: Int32(transaction.now.milliseconds.floorDivided(by: LocalCalendar.dayLength)))
    try transaction.database.run(
      "UPDATE entries SET closes_at = 0 WHERE account_id = ? AND day >= ? AND closes_at IS NOT NULL", .id(account),
      .day(day.advanced(by: -3)))
  }

  /// Checks the first due entries: an entry whose day is over is done, and is published as such.
  static func close(_ calendars: AccountCalendars, _ transaction: Transaction) throws {
    let database = transaction.database
    let due = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT activity_id, day, account_id, progress, recorded_at FROM entries WHERE closes_at <= ? ORDER BY closes_at LIMIT ?
          """), arguments: [transaction.now, batch])
    for row in due {
      let (activity, day, account): (ActivityID, LocalDay, AccountID) = (row["activity_id"], row["day"], row["account_id"])
      let today = try calendars.day(of: transaction.now, account, in: database)
      guard day < today else {
        let end = try calendars.calendarOrUTC(of: account, in: database).end(of: day)
        // The effect of clock changes is seen at the next check.
        try database.run(
          "UPDATE entries SET closes_at = ?3 WHERE activity_id = ?1 AND day = ?2", .id(activity), .day(day),
          .instant(max(end, transaction.now.adding(seconds: 60))))
        continue
      }
      let goal: PlannedGoal
      do {
        goal = try ActivityStore.goal(activity, of: account, on: day, today: today, in: database)
      } catch ActivityFailure.notFound {
        // Its activity is being deleted.
        try database.run("UPDATE entries SET closes_at = NULL WHERE activity_id = ? AND day = ?", .id(activity), .day(day))
        continue
      }
      let progress: Int = row["progress"]
      let isDone = goal.isDone(progress)
      try database.run(
        "UPDATE entries SET is_done = ?3, closes_at = NULL WHERE activity_id = ?1 AND day = ?2", .id(activity), .day(day),
        .truth(isDone))
      if isDone { try EntryStore.publish(progress, goal, of: account, recordedAt: row["recorded_at"], transaction) }
    }
  }
}

extension PlannedGoal {
  /// The value of `closes_at` for an entry written with that progress.
  func closing(_ progress: Int) -> Bound {
    measure.isLimit && measure.outcome(progress, isOver: isOver) == .open ? .instant(Instant(milliseconds: 0)) : .null
  }
}
