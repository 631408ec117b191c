import GRDB
import NotificationsContract
import Operations
import Storage

/// The dead pushes in the delivery log, for administrators to see, and to retry once the cause is fixed. Pushes without a notification in
/// the inbox are not among them: their text was removed with the delivery.
enum DeadPushStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "dead pushes") { database in
      try database.execute(
        sql: "CREATE INDEX deliveries_dead_pushes ON deliveries (delivery_id) WHERE channel = 'push' AND state = 'failed'")
    }
  }

  /// Those behind `before` in the order of falling ids.
  static func list(before: ID<NotificationDelivery>?, limit: Int, in database: Database) throws -> [Row] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT delivery_id, kind, account_id, reason, created_at, finished_at FROM deliveries INDEXED BY deliveries_dead_pushes
        WHERE channel = 'push' AND state = 'failed' AND notification_id IS NOT NULL AND delivery_id < :before
        ORDER BY delivery_id DESC LIMIT :limit
        """)
    return try Row.fetchAll(statement, arguments: ["before": before ?? .last, "limit": limit])
  }

  /// Holds the push, due now, so that the current choices decide about it; false if there is no dead push with that id.
  static func revive(_ delivery: ID<NotificationDelivery>, _ transaction: Transaction) throws -> Bool {
    try transaction.database.run(
      """
      UPDATE deliveries SET state = 'held', reason = ?2, hold = NULL, not_before = ?3, finished_at = NULL
      WHERE delivery_id = ?1 AND channel = 'push' AND state = 'failed' AND notification_id IS NOT NULL
      """, .id(delivery), .text(HoldReason.unread.rawValue), .instant(transaction.now))
    return transaction.database.changesCount > 0
  }
}
