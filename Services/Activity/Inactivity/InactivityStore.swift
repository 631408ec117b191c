import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The accounts that want notices about days without movement, the day since which each has not moved, and the notices sent.
///
/// `due_at` says when to check each account; 0 where that is not known yet.
enum InactivityStore {
  /// How many accounts are checked in one transaction.
  static let batch = 50

  static func migration(_ number: Int) -> Migration {
    Migration(number, "notices of inactivity") { database in
      try database.execute(
        sql: """
          CREATE TABLE inactivity_notices (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            days INTEGER NOT NULL CHECK (days >= 1),
            -- The last day with movement, or that from which on is counted.
            since_day INTEGER NOT NULL,
            -- NULL once the account was notified, and while it may not be: until it moves.
            due_at INTEGER,
            -- The notice, as long as it is true, and the day on which it was sent.
            notice_id BLOB CHECK (length(notice_id) = 16),
            told_day INTEGER,
            CHECK ((notice_id IS NULL) = (told_day IS NULL)),
            CHECK (notice_id IS NULL OR due_at IS NULL)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX inactivity_notices_due ON inactivity_notices (due_at) WHERE due_at IS NOT NULL;
          """)
    }
  }

  static func nameMigration(_ number: Int) -> Migration {
    Migration(number, "the day of an inactivity notice by the name that the code uses") { database in
      try database.execute(sql: "ALTER TABLE inactivity_notices RENAME COLUMN told_day TO notified_day")
    }
  }

  static func days(of account: AccountID, in database: Database) throws -> Int? {
    try database.first("SELECT days FROM inactivity_notices WHERE account_id = ?", .id(account)) { $0.number(0) }
  }

  /// Sets the number of days, counted from today on. The same number as before changes nothing, unless the account was no longer due: it
  /// had been checked while its owner was suspended, or did not consent.
  static func set(_ days: Int, of account: AccountID, today: LocalDay, _ transaction: Transaction) throws {
    let isSame = try transaction.database.first(
      """
      SELECT 1 FROM inactivity_notices WHERE account_id = ? AND days = ? AND (due_at IS NOT NULL OR notice_id IS NOT NULL)
      """, .id(account), .number(days)
    ) { _ in true }
    guard isSame == nil else { return }
    try endNotice(of: account, transaction)
    try transaction.database.run(
      """
      INSERT INTO inactivity_notices (account_id, days, since_day, due_at) VALUES (?, ?, ?, 0)
      ON CONFLICT (account_id) DO UPDATE SET days = excluded.days, since_day = excluded.since_day, due_at = 0
      """, .id(account), .number(days), .day(today))
  }

  static func clear(of account: AccountID, _ transaction: Transaction) throws {
    try endNotice(of: account, transaction)
    try transaction.database.run("DELETE FROM inactivity_notices WHERE account_id = ?", .id(account))
  }

  /// Restarts the count from the last of some days with movement. Corrections that remove movement, and known movement, change nothing.
  static func end(
    _ states: [MovementState], of account: AccountID, today: LocalDay, _ transaction: Transaction
  ) throws {
    let moved = states.filter { $0.steps + $0.walking + $0.running + $0.cycling > 0 && $0.day <= today }.map(\.day).max()
    guard let moved else { return }
    let known = try transaction.database.first(
      "SELECT since_day, notified_day FROM inactivity_notices WHERE account_id = ?", .id(account)
    ) { (since: $0.day(0), notified: $0.isNull(1) ? nil : $0.day(1)) }
    guard let known, moved > known.since else { return }
    try endNotice(of: account, transaction)
    try transaction.database.run(
      "UPDATE inactivity_notices SET since_day = ?, due_at = 0 WHERE account_id = ?",
      .day(InactivityRules.start(moved: moved, notifiedOn: known.notified)), .id(account))
  }

  private static func endNotice(of account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    let notice: ID<InactivityNotice>? = try database.first(
      "SELECT notice_id FROM inactivity_notices WHERE account_id = ? AND notice_id IS NOT NULL", .id(account)
    ) { try $0.id(0) }
    guard let notice else { return }
    try database.run(
      "UPDATE inactivity_notices SET notice_id = NULL, notified_day = NULL WHERE account_id = ?", .id(account))
    try transaction.publish(InactivityEnded(noticeID: notice, accountID: account))
  }

  /// Marks an account for another check, since its days may end at other times than before.
  static func recheck(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE inactivity_notices SET due_at = 0 WHERE account_id = ? AND due_at IS NOT NULL", .id(account))
  }

  // MARK: - What is due

  /// Whether any account is due for a check.
  static func areDue(at now: Instant, in database: Database) throws -> Bool {
    try database.first("SELECT 1 FROM inactivity_notices WHERE due_at <= ? LIMIT 1", .instant(now)) { _ in true } ?? false
  }

  /// Checks the first due accounts, and notifies those that have not moved for as many days as they chose.
  static func notifyDue(_ calendars: AccountCalendars, _ transaction: Transaction) throws {
    let due = try Row.fetchAll(
      transaction.database.cachedStatement(
        sql: "SELECT account_id, days, since_day FROM inactivity_notices WHERE due_at <= ? ORDER BY due_at LIMIT ?"),
      arguments: [transaction.now, batch])
    for row in due { try check(of: row["account_id"], since: row["since_day"], days: row["days"], calendars, transaction) }
  }

  private static func check(
    of account: AccountID, since: LocalDay, days: Int, _ calendars: AccountCalendars, _ transaction: Transaction
  ) throws {
    let (database, now) = (transaction.database, transaction.now)
    func wait(until instant: Instant?) throws {
      try database.run(
        "UPDATE inactivity_notices SET due_at = ? WHERE account_id = ?", instant.map { .instant($0) } ?? .null, .id(account))
    }
    guard try !database.isErased(account), let known = try Accounts.find(account, in: database),
      try Accounts.hasConsent(.activityData, of: account, in: database)
    else { return try wait(until: nil) }
    if let until = known.suspendedUntil, now < until { return try wait(until: until < .endOfTime ? until : nil) }
    let calendar = try calendars.calendar(of: account, in: database)
    let due = InactivityRules.due(since: since, days: days, calendar)
    let passed = InactivityRules.days(since: since, today: calendar.day(of: now))
    // The effect of clock changes is seen at the next check.
    guard due <= now, passed >= days else { return try wait(until: max(due, now.adding(seconds: 60))) }
    let notice = ID<InactivityNotice>()
    try database.run(
      "UPDATE inactivity_notices SET due_at = NULL, notice_id = ?, notified_day = ? WHERE account_id = ?", .id(notice),
      .day(calendar.day(of: now)), .id(account))
    try transaction.publish(InactivityDetected(noticeID: notice, accountID: account, days: passed, at: now))
  }
}
