import GRDB
import Operations
import ServiceKit
import Storage

/// The end times of suspensions, each kept until it has taken effect.
enum SuspensionEndStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "ends of suspensions") { database in
      try database.execute(
        sql: """
          CREATE TABLE suspension_ends (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            ends_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX suspension_ends_by_time ON suspension_ends (ends_at);
          -- Even suspensions that are over but not processed yet.
          INSERT INTO suspension_ends (account_id, ends_at)
            SELECT account_id, suspended_until FROM accounts WHERE suspended_until < \(Instant.endOfTime.milliseconds);
          """)
    }
  }

  /// Records until when a changed account is suspended. Other effects of the change are handled elsewhere.
  static func follow(_ account: AccountID, _ transaction: Transaction) throws {
    let end = try Accounts.find(account, in: transaction.database)?.suspendedUntil
    guard let end, end < .endOfTime, end > transaction.now else {
      return try transaction.database.run("DELETE FROM suspension_ends WHERE account_id = ?", .id(account))
    }
    try transaction.database.run(
      "INSERT INTO suspension_ends (account_id, ends_at) VALUES (?, ?) ON CONFLICT DO UPDATE SET ends_at = excluded.ends_at",
      .id(account), .instant(end))
  }

  /// Whether a suspension has ended whose end has not taken effect.
  static func isDue(at now: Instant, in database: Database) throws -> Bool {
    try database.first("SELECT 1 FROM suspension_ends WHERE ends_at <= ? LIMIT 1", .instant(now)) { _ in true } ?? false
  }

  /// Returns and removes the accounts whose suspension has ended, the earliest end first.
  static func takeDue(limit: Int, _ transaction: Transaction) throws -> [AccountID] {
    let due = try AccountID.fetchAll(
      transaction.database.cachedStatement(
        sql: "SELECT account_id FROM suspension_ends WHERE ends_at <= ? ORDER BY ends_at LIMIT ?"),
      arguments: [transaction.now, limit])
    for account in due { try transaction.database.run("DELETE FROM suspension_ends WHERE account_id = ?", .id(account)) }
    return due
  }
}
