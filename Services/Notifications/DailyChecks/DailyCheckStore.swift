import GRDB
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import Storage

/// The accounts with a daily check, and the rank of each at the last one.
///
/// `due_at` is the time of the next check; 0 where it is not known yet.
enum DailyCheckStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "daily looks") { database in
      try database.execute(
        sql: """
          CREATE TABLE daily_looks (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            due_at INTEGER NOT NULL,
            -- The account's day of the last check.
            last_day INTEGER,
            -- Its rank among friends then, of the month that begins so.
            month INTEGER,
            rank INTEGER CHECK (rank >= 1)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX daily_looks_due ON daily_looks (due_at);
          -- An account that has chosen the whole category has chosen its new kinds too.
          INSERT INTO daily_looks (account_id, due_at)
          SELECT DISTINCT account_id, 0 FROM notification_choices
          WHERE topic IN ('category.rewards', 'category.social') AND is_on = 1;
          """)
    }
  }

  static func nameMigration(_ number: Int) -> Migration {
    Migration(number, "daily checks by the name that the code uses") { database in
      try database.execute(
        sql: """
          ALTER TABLE daily_looks RENAME TO daily_checks;
          DROP INDEX daily_looks_due;
          CREATE INDEX daily_checks_due ON daily_checks (due_at);
          """)
    }
  }

  private static let zones = TimeZones()

  /// An account to check.
  struct Job: Sendable {
    let account: AccountID
    let day: LocalDay
    let next: Instant
    let rank: FriendRank?
  }

  /// Begins or ends with an account, as it has chosen.
  static func follow(_ account: AccountID, _ transaction: Transaction) throws {
    let choices = try PreferenceStore.choices(of: account, in: transaction.database)
    guard DailyCheckRules.takesPart(choices) else {
      return try transaction.database.run("DELETE FROM daily_checks WHERE account_id = ?", .id(account))
    }
    try transaction.database.run(
      "INSERT INTO daily_checks (account_id, due_at) VALUES (?, 0) ON CONFLICT DO NOTHING", .id(account))
    guard transaction.database.changesCount > 0 else { return }
    let row = try Row.fetchOne(
      transaction.database, sql: "SELECT * FROM daily_checks WHERE account_id = ?", arguments: [account])
    if let row { _ = try check(row, zones, transaction) }
  }

  /// Lets an account be checked, for its day is another than before.
  static func recheck(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.run("UPDATE daily_checks SET due_at = 0 WHERE account_id = ?", .id(account))
  }

  static func nextDue(in database: Database) throws -> Instant? {
    try Instant.fetchOne(database.cachedStatement(sql: "SELECT min(due_at) FROM daily_checks"))
  }

  /// The first due accounts; those whose hour has not come are postponed.
  ///
  /// - Returns: the number of rows read, and the accounts whose hour has come.
  static func due(limit: Int, _ zones: TimeZones, _ transaction: Transaction) throws -> (count: Int, jobs: [Job]) {
    let rows = try Row.fetchAll(
      transaction.database.cachedStatement(sql: "SELECT * FROM daily_checks WHERE due_at <= ? ORDER BY due_at LIMIT ?"),
      arguments: [transaction.now, limit])
    return (rows.count, try rows.compactMap { try check($0, zones, transaction) })
  }

  /// The account of a row, if it is to be checked now; otherwise it is postponed, or removed.
  private static func check(_ row: Row, _ zones: TimeZones, _ transaction: Transaction) throws -> Job? {
    let account: AccountID = row["account_id"]
    guard let known = try Accounts.find(account, in: transaction.database) else {
      // An account with this choice is known, so this one was erased.
      try transaction.database.run("DELETE FROM daily_checks WHERE account_id = ?", .id(account))
      return nil
    }
    let step = DailyCheckRules.step(
      lastDay: row["last_day"], isSuspended: known.isSuspended(at: transaction.now), at: transaction.now,
      LocalCalendar(zones.offsets(known.timeZone.description), dayStartHour: known.dayStartHour))
    switch step {
    case .check(on: let day, next: let next):
      let month: LocalDay? = row["month"]
      return Job(account: account, day: day, next: next, rank: month.map { FriendRank(month: $0, rank: row["rank"]) })
    case .wait(until: let instant):
      try wait(account, until: instant, transaction)
      return nil
    }
  }

  /// Postpones the check of an account.
  static func wait(_ account: AccountID, until instant: Instant, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE daily_checks SET due_at = ? WHERE account_id = ?", .instant(instant), .id(account))
  }

  /// Notes the check of an account; false where it was done already, or the account has switched it off.
  static func advance(_ job: Job, _ rank: FriendRank, _ transaction: Transaction) throws -> Bool {
    try transaction.database.run(
      """
      UPDATE daily_checks SET due_at = ?3, last_day = ?2, month = ?4, rank = ?5
      WHERE account_id = ?1 AND (last_day IS NULL OR last_day < ?2)
      """, .id(job.account), .day(job.day), .instant(job.next), .day(rank.month), rank.rank.map { .number($0) } ?? .null)
    return transaction.database.changesCount > 0
  }
}
