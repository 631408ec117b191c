import GRDB
import NotificationsContract
import Operations
import Storage

/// What takes the place of pushes that were sent: under the same topic, so that a push service forgets the one that waits, and a device shows it
/// in place of the one that it shows.
extension PushStore {
  static func repeatsMigration(_ number: Int) -> Migration {
    Migration(number, "pushes in place of others") { database in
      try database.execute(
        sql: """
          -- Until when what was pushed alone may be shown, or may still come; NULL once it was opened or another took its place.
          ALTER TABLE deliveries ADD COLUMN shown_until INTEGER;
          CREATE INDEX deliveries_shown ON deliveries (account_id, source) WHERE shown_until IS NOT NULL;
          -- Whether it stands in for one that was sent, whose delivery has ended.
          ALTER TABLE push_messages ADD COLUMN is_repeat INTEGER NOT NULL DEFAULT 0 CHECK (is_repeat IN (0, 1));
          """)
    }
  }

  /// Notes that devices may show what was pushed.
  static func noteShown(
    _ delivery: ID<NotificationDelivery>, of account: AccountID, until end: Instant, _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      "UPDATE deliveries SET shown_until = ? WHERE account_id = ? AND delivery_id = ? AND opened_at IS NULL", .instant(end),
      .id(account), .id(delivery))
  }

  /// Queues what takes the place of pushes that devices may show, or are just being sent; none for one that waits already.
  ///
  /// - Returns: whether anything was queued.
  static func replace(_ sources: SourceRange, of account: AccountID, _ transaction: Transaction) throws -> Bool {
    let statement = try transaction.database.cachedStatement(
      sql: """
        SELECT delivery_id, kind, source, finished_at FROM deliveries INDEXED BY deliveries_shown
        WHERE account_id = :account AND source >= :start AND source < :end AND shown_until IS NOT NULL AND shown_until > :now
        UNION ALL
        SELECT d.delivery_id, d.kind, d.source, NULL FROM deliveries d
        WHERE d.account_id = :account AND d.source >= :start AND d.source < :end AND d.state IN ('held', 'queued')
          AND d.channel = 'push' AND EXISTS (
            SELECT 1 FROM push_messages m JOIN push_message_deliveries c ON c.message_id = m.message_id
              JOIN push_requests r ON r.message_id = m.message_id
            WHERE m.account_id = :account AND m.source = d.source AND c.delivery_id = d.delivery_id AND r.state = 'sending')
        """)
    let rows = try Row.fetchAll(
      statement, arguments: ["account": account, "start": sources.start, "end": sources.end, "now": transaction.now])
    var isQueued = false
    for row in rows {
      let shown: Instant? = row["finished_at"]
      if try queue(row["delivery_id"], row["kind"], row["source"], of: account, shownSince: shown, transaction) {
        isQueued = true
      }
    }
    return isQueued
  }

  /// - Parameter shown: since when; nil for one that is just being sent, behind which it goes a moment later.
  private static func queue(
    _ delivery: ID<NotificationDelivery>, _ kind: String, _ source: String, of account: AccountID, shownSince shown: Instant?,
    _ transaction: Transaction
  ) throws -> Bool {
    let (database, now) = (transaction.database, transaction.now)
    let waits = try database.first(
      """
      SELECT 1 FROM push_messages m WHERE m.account_id = ? AND m.source = ? AND m.is_repeat = 1
        AND NOT EXISTS (SELECT 1 FROM push_requests r WHERE r.message_id = m.message_id AND r.state = 'sending')
      """, .id(account), .text(source)
    ) { _ in true }
    guard waits == nil, let spec = NotificationSpec.named(kind) else { return false }
    let message = ID<PushMessage>()
    try database.run(
      """
      INSERT INTO push_messages (message_id, account_id, source, urgency, created_at, expires_at, is_repeat)
      VALUES (?, ?, ?, ?, ?, ?, 1)
      """, .id(message), .id(account), .text(source), .text(NotificationUrgency.normal.rawValue), .instant(now),
      .instant(now.adding(seconds: PushRules.secondsToLive(spec))))
    try database.run(
      "INSERT INTO push_message_deliveries (message_id, delivery_id) VALUES (?, ?)", .id(message), .id(delivery))
    // A device that came later shows nothing of it.
    try database.run(
      """
      INSERT INTO push_requests (message_id, subscription_id, state, next_at)
      SELECT ?1, subscription_id, 'waiting', ?2 FROM push_subscriptions WHERE account_id = ?3 AND created_at <= ?4
      """, .id(message), .instant(shown == nil ? now.adding(seconds: 2) : now), .id(account), .instant(shown ?? now))
    try settle(message, otherwise: .noDevice, transaction)
    return true
  }
}
