import GRDB
import NotificationsContract
import Operations
import Storage

/// Notifications in a blocker's inbox that name the blocked account, until they are deleted: they are hidden from the moment of the block.
///
/// They are found by going through the blocker's inbox, whose size is the blocker's own: an account that many notifications name costs no
/// one else anything.
enum BlockedNotificationStore {
  /// Inboxes of which no more numbers have been given are gone through at once.
  static let numbersAtOnce = 200

  static func migration(_ number: Int) -> Migration {
    Migration(number, "notifications of blocked accounts") { database in
      try database.execute(
        sql: """
          -- Inboxes from which notifications that name another account are still to be deleted: those after one number up to another.
          CREATE TABLE blocked_notifications (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            other_account BLOB NOT NULL CHECK (length(other_account) = 16),
            after INTEGER NOT NULL CHECK (after >= 0),
            through INTEGER NOT NULL CHECK (through >= after),
            PRIMARY KEY (account_id, other_account)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX blocked_notifications_by_other ON blocked_notifications (other_account);
          """)
    }
  }

  /// Deletes what the account was notified of until now that names the other.
  ///
  /// - Returns: whether some is to be deleted still.
  static func begin(_ account: AccountID, from other: AccountID, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    let last = try database.first("SELECT last_number FROM inboxes WHERE account_id = ?", .id(account)) { $0.number(0) } ?? 0
    guard last > numbersAtOnce else {
      try InboxStore.deleteAll(naming: other, of: account, numbers: 1...max(last, 1), transaction)
      return false
    }
    try database.run(
      """
      INSERT INTO blocked_notifications (account_id, other_account, after, through) VALUES (?, ?, 0, ?)
      ON CONFLICT (account_id, other_account) DO UPDATE SET after = 0, through = excluded.through
      """, .id(account), .id(other), .number(last))
    return true
  }

  /// Whether an account has any.
  static func isHiding(from account: AccountID, in database: Database) throws -> Bool {
    try database.first("SELECT 1 FROM blocked_notifications WHERE account_id = ? LIMIT 1", .id(account)) { _ in true } ?? false
  }

  /// Whether a notification that names another account is one of them, as SQL.
  ///
  /// An account may have blocked very many others: their rows are found by their keys from the few accounts that a notification names.
  ///
  /// - Parameters:
  ///   - row: SQL for the row of `notifications`.
  ///   - other: SQL for the id of the account that it names.
  static func isHidden(_ row: String, naming other: String) -> String {
    """
    EXISTS (SELECT 1 FROM blocked_notifications b
      WHERE b.account_id = \(row).account_id AND b.other_account = \(other) AND \(row).number > b.after AND \(row).number <= b.through)
    """
  }

  /// Goes on through an account's inbox.
  ///
  /// - Parameter limit: over how many numbers at most.
  static func delete(from account: AccountID, limit: Int, _ transaction: Transaction) throws {
    let database = transaction.database
    let found = try database.first(
      "SELECT other_account, after, through FROM blocked_notifications WHERE account_id = ? LIMIT 1", .id(account)
    ) { (other: try $0.id(0) as AccountID, after: $0.number(1), through: $0.number(2)) }
    guard let found else { return }
    let end = min(found.after + limit, found.through)
    if end > found.after {
      try InboxStore.deleteAll(naming: found.other, of: account, numbers: found.after + 1...end, transaction)
    }
    if end < found.through {
      try database.run(
        "UPDATE blocked_notifications SET after = ?3 WHERE account_id = ?1 AND other_account = ?2", .id(account),
        .id(found.other),
        .number(end))
    } else {
      try database.run(
        "DELETE FROM blocked_notifications WHERE account_id = ? AND other_account = ?", .id(account), .id(found.other))
    }
  }
}
