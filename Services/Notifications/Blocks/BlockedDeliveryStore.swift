import GRDB
import NotificationsContract
import Operations
import Storage

/// What waits for a blocker out of the inbox and names the blocked account, until it has ended: from the moment of the block it is not
/// sent.
enum BlockedDeliveryStore {
  /// So much ends in one transaction at most.
  static let rowsAtOnce = 200

  static func migration(_ number: Int) -> Migration {
    Migration(number, "deliveries that name blocked accounts") { database in
      try database.execute(
        sql: """
          -- Accounts of whose deliveries those that name another account are still to be ended.
          CREATE TABLE blocked_deliveries (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            other_account BLOB NOT NULL CHECK (length(other_account) = 16),
            -- The last that waited when the block began. Ids grow with the clock: what comes after it has been set back over a restart may
            -- end too, which is accepted.
            last_delivery BLOB NOT NULL CHECK (length(last_delivery) = 16),
            PRIMARY KEY (account_id, other_account)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX blocked_deliveries_by_other ON blocked_deliveries (other_account);
          """)
    }
  }

  /// Ends what waits for the account and names the other. What comes once the block has ended is sent.
  ///
  /// - Returns: whether some is to be ended still.
  static func begin(_ account: AccountID, from other: AccountID, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    _ = try DeliveryStore.withdraw(naming: other, of: account, limit: rowsAtOnce, transaction)
    guard let last = try DeliveryStore.last(naming: other, of: account, in: database) else { return false }
    try database.run(
      """
      INSERT INTO blocked_deliveries (account_id, other_account, last_delivery) VALUES (?, ?, ?)
      ON CONFLICT (account_id, other_account) DO UPDATE SET last_delivery = excluded.last_delivery
      """, .id(account), .id(other), .id(last))
    return true
  }

  /// Whether a delivery is one of them, as SQL.
  ///
  /// - Parameter row: SQL for the row of `delivery_accounts`.
  static func isEnding(_ row: String) -> String {
    """
    EXISTS (SELECT 1 FROM blocked_deliveries b
      WHERE b.account_id = \(row).account_id AND b.other_account = \(row).named_account AND b.last_delivery >= \(row).delivery_id)
    """
  }

  /// Goes on with what waits for an account.
  ///
  /// - Parameter limit: how much ends at most.
  static func end(of account: AccountID, limit: Int, _ transaction: Transaction) throws {
    let database = transaction.database
    let found = try database.first(
      "SELECT other_account, last_delivery FROM blocked_deliveries WHERE account_id = ? LIMIT 1", .id(account)
    ) { (other: try $0.id(0) as AccountID, last: try $0.id(1) as ID<NotificationDelivery>) }
    guard let found else { return }
    let ended = try DeliveryStore.withdraw(naming: found.other, of: account, through: found.last, limit: limit, transaction)
    guard ended < limit else { return }
    try database.run(
      "DELETE FROM blocked_deliveries WHERE account_id = ? AND other_account = ?", .id(account), .id(found.other))
  }
}
