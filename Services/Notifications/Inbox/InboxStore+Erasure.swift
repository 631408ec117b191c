import Foundation
import GRDB
import Operations
import Storage

/// The accounts that notifications name, by which those are found when such an account is erased: one row for each, as long as the
/// notification has its content.
extension InboxStore {
  /// What others were notified of that names the account.
  private static let named = """
    notification_accounts a JOIN notifications o ON o.notification_id = a.notification_id
    WHERE a.account_id = :account AND o.account_id <> :account
    """

  /// Some of it, the same at each look.
  private static let some = """
    SELECT o.notification_id, o.account_id FROM \(named) ORDER BY a.notification_id LIMIT :limit
    """

  private static let changed = "change = (SELECT last_change FROM inboxes i WHERE i.account_id = notifications.account_id)"

  // Blanks what names an account in others' inboxes, then deletes its own.

  static let erasedChanges = """
    UPDATE inboxes SET last_change = last_change + 1 WHERE account_id IN (SELECT o.account_id FROM \(named))
    """
  static let erasedContents = """
    UPDATE notifications SET deleted_at = :now, content = '{}', \(changed)
    WHERE notification_id IN (SELECT o.notification_id FROM \(named))
    """
  static let erasedNames = """
    DELETE FROM notification_accounts WHERE notification_id IN (SELECT o.notification_id FROM \(named))
    """
  static let erasedInbox = "DELETE FROM notifications WHERE account_id = :account"

  /// The same, for some of them.
  static let erasureSteps = [
    """
    UPDATE inboxes SET last_change = last_change + 1 WHERE account_id IN (SELECT account_id FROM (\(some)))
    """,
    """
    UPDATE notifications SET deleted_at = :now, content = '{}', \(changed)
    WHERE notification_id IN (SELECT notification_id FROM (\(some)))
    """,
    "DELETE FROM notification_accounts WHERE notification_id IN (SELECT notification_id FROM (\(some)))",
    """
    DELETE FROM notifications WHERE notification_id IN (
      SELECT notification_id FROM notifications WHERE account_id = :account LIMIT :limit)
    """,
  ]

  /// Notes which accounts a notification names.
  static func noteAccounts(_ accounts: Set<AccountID>, in notification: some DatabaseValueConvertible, _ database: Database)
    throws
  {
    let statement = try database.cachedStatement(
      sql: "INSERT INTO notification_accounts (notification_id, account_id) VALUES (?, ?)")
    for account in accounts { try statement.execute(arguments: [notification, account]) }
  }

  /// The same for one that says nothing any more.
  static func forgetAccounts(of notification: some DatabaseValueConvertible, _ database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM notification_accounts WHERE notification_id = ?")
      .execute(arguments: [notification])
  }

  /// An SQL condition on rows of notifications that leaves out those that name accounts being erased, or blocked by the account; empty
  /// where there are none.
  static func hiding(of account: AccountID, in database: Database) throws -> String {
    let isNeeded = try isErasing(in: database) || BlockedNotificationStore.isHiding(from: account, in: database)
    return isNeeded ? "AND \(isShown)" : ""
  }

  /// Whether a notification names no account that is being erased, and none that its owner has blocked since, as SQL.
  static let isShown = """
    NOT EXISTS (SELECT 1 FROM notification_accounts a WHERE a.notification_id = notifications.notification_id
      AND (\(isBeingErased("a.account_id")) OR \(BlockedNotificationStore.isHidden("notifications", naming: "a.account_id"))))
    """

  /// Whether an account is being erased, as SQL.
  ///
  /// - Parameter account: SQL for its id.
  static func isBeingErased(_ account: String) -> String {
    """
    EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = \(account) AND e.confirmed_at IS NULL AND e.rows_erased_at IS NULL)
    """
  }

  /// Whether any account is being erased.
  private static func isErasing(in database: Database) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM erasures INDEXED BY erasures_unconfirmed WHERE confirmed_at IS NULL AND rows_erased_at IS NULL LIMIT 1
      """
    ) { _ in true } ?? false
  }

  /// An index of the one account that a notification named at first.
  static func causeMigration(_ number: Int) -> Migration {
    let cause = "json_extract(content, '$.links.accountID')"
    return Migration(number, "notifications by who caused them") { database in
      try database.execute(
        sql: "CREATE INDEX notifications_by_cause ON notifications (\(cause)) WHERE \(cause) IS NOT NULL")
    }
  }

  /// All accounts that a notification names; of those that there are, the one that they lead to.
  static func accountsMigration(_ number: Int) -> Migration {
    Migration(number, "accounts in notifications") { database in
      try database.execute(
        sql: """
          CREATE TABLE notification_accounts (
            notification_id BLOB NOT NULL REFERENCES notifications (notification_id) ON DELETE CASCADE,
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            PRIMARY KEY (notification_id, account_id)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX notification_accounts_by_account ON notification_accounts (account_id);
          """)
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT notification_id, json_extract(content, '$.links.accountID') AS account FROM notifications
          WHERE json_extract(content, '$.links.accountID') IS NOT NULL AND deleted_at IS NULL
          """)
      while let row = try rows.next() {
        try noteAccounts([AccountID(text: row["account"])], in: row["notification_id"] as Data, database)
      }
      try database.execute(sql: "DROP INDEX notifications_by_cause")
    }
  }
}
