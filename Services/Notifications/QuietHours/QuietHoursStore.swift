import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The accounts that have quiet hours.
struct QuietHoursStore: Sendable {
  /// The zones in use.
  let zones: TimeZones

  static func migration(_ number: Int) -> Migration {
    Migration(number, "quiet hours") { database in
      try database.execute(
        sql: """
          CREATE TABLE quiet_hours (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            -- Minutes after midnight.
            starts_at INTEGER NOT NULL CHECK (starts_at BETWEEN 0 AND 1439),
            ends_at INTEGER NOT NULL CHECK (ends_at BETWEEN 0 AND 1439 AND ends_at <> starts_at)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  static func find(_ account: AccountID, in database: Database) throws -> QuietHours? {
    let statement = try database.cachedStatement(sql: "SELECT starts_at, ends_at FROM quiet_hours WHERE account_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [account]),
      let start = QuietTime(minutes: row["starts_at"]), let end = QuietTime(minutes: row["ends_at"])
    else { return nil }
    return QuietHours(startsAt: start, endsAt: end)
  }

  static func set(_ hours: QuietHours, of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO quiet_hours (account_id, starts_at, ends_at) VALUES (?, ?, ?)
        ON CONFLICT (account_id) DO UPDATE SET starts_at = excluded.starts_at, ends_at = excluded.ends_at
        """
    ).execute(arguments: [account, hours.startsAt.minutes, hours.endsAt.minutes])
  }

  static func remove(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM quiet_hours WHERE account_id = ?").execute(arguments: [account])
  }

  /// The end of an account's current quiet hours; nil outside them, and where it has none.
  ///
  /// - Parameter timeZone: the account's time zone; UTC where it is not known yet.
  func end(of account: AccountID, timeZone: String?, at now: Instant, in database: Database) throws -> Instant? {
    guard let hours = try QuietHoursStore.find(account, in: database) else { return nil }
    return QuietHoursRules.end(of: hours, at: now, zones.offsets(timeZone ?? "UTC"))
  }
}
