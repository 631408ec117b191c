import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Reads the log: for those to whom the deliveries went, and for operators.
extension DeliveryStore {
  /// The log of an account, those behind `before` in the order of falling ids.
  static func list(
    of account: AccountID, _ input: ListDeliveries.Input, without hidden: [String], since: Instant,
    before: ID<NotificationDelivery>?, limit: Int, in database: Database
  ) throws -> [Row] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT d.*, \(ReadMarkStore.readAt("n")) AS read_at FROM deliveries d LEFT JOIN notifications n
          ON d.channel = 'inbox' AND n.notification_id = d.notification_id
        WHERE d.account_id = :account AND d.delivery_id < :before AND d.created_at >= :since
          AND (:channel IS NULL OR d.channel = :channel) AND (:state IS NULL OR d.state = :state)
          AND d.kind NOT IN (\(NotificationKind.list(hidden)))
        ORDER BY d.delivery_id DESC LIMIT :limit
        """)
    return try Row.fetchAll(
      statement,
      arguments: [
        "account": account, "before": before ?? .last, "since": since, "channel": input.channel, "state": input.state,
        "limit": limit,
      ])
  }

  /// What came of deliveries since a day.
  static func figures(since day: Instant, in database: Database) throws -> [DeliveryStatistic] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT channel, \(NotificationKind.presentSQL) AS kind, outcome, reason, sum(count) AS count FROM delivery_figures
        WHERE day >= ? GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        """)
    return try Row.fetchAll(statement, arguments: [day]).map(DeliveryStatistic.init)
  }

  /// What waits now.
  static func waiting(limit: Int, in database: Database) throws -> [DeliveryStatistic] {
    func figures(_ state: DeliveryState, _ reason: String) throws -> [DeliveryStatistic] {
      let statement = try database.cachedStatement(
        sql: """
          SELECT channel, kind, '\(state.rawValue)' AS outcome, reason, count(*) AS count FROM (
            SELECT channel, \(NotificationKind.presentSQL) AS kind, \(reason) AS reason FROM deliveries
            WHERE state = '\(state.rawValue)' LIMIT ?)
          GROUP BY channel, kind, reason ORDER BY channel, kind, reason
          """)
      return try Row.fetchAll(statement, arguments: [limit]).map(DeliveryStatistic.init)
    }
    return try figures(.held, "reason") + figures(.queued, "''")
  }

  /// Whether the account has a push of that id.
  static func isPush(_ id: ID<NotificationDelivery>, of account: AccountID, in database: Database) throws -> Bool {
    try database.first(
      "SELECT 1 FROM deliveries WHERE account_id = ? AND delivery_id = ? AND channel = 'push'", .id(account), .id(id)
    ) { _ in true } ?? false
  }

  /// Whether what comes from a source is in the account's inbox already, was, or was logged in its stead.
  static func isKnown(_ source: String, of account: AccountID, in database: Database) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM notifications WHERE account_id = ?1 AND source = ?2
      UNION ALL
      SELECT 1 FROM deliveries WHERE account_id = ?1 AND source = ?2 AND channel = 'inbox' AND state = 'silent'
      """, .id(account), .text(source)
    ) { _ in true } ?? false
  }
}

extension DeliveryStatistic {
  fileprivate init(_ row: Row) {
    let reason: String? = row["reason"]
    self.init(
      channel: row["channel"], kind: row["kind"], outcome: row["outcome"], reason: reason?.isEmpty == false ? reason : nil,
      count: row["count"])
  }
}

extension NotificationDelivery {
  /// From a row of ``DeliveryStore/list(of:_:without:since:before:limit:in:)``.
  init(_ row: Row, _ language: Language) {
    let kind = NotificationKind.presentName(of: row["kind"])
    let reason: String? = row["reason"]
    self.init(
      id: row["delivery_id"], channel: row["channel"], kind: kind,
      name: NotificationSpec.named(kind)?.title(language) ?? kind, state: row["state"], reason: reason,
      explanation: reason.map { DeliveryReason.text($0, language) }, notificationID: row["notification_id"],
      createdAt: row["created_at"],
      heldUntil: row["not_before"], finishedAt: row["finished_at"], openedAt: row["opened_at"] ?? row["read_at"])
  }
}
