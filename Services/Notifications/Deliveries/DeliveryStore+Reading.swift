import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Reads the log: for those to whom the deliveries went, and for operators.
extension DeliveryStore {
  /// How many deliveries a page of the log looks through where not all of them may belong to the list.
  static let maxSearched = 2_000

  /// The log of an account, newest first.
  static func list(
    of account: AccountID, _ input: ListDeliveries.Input, without hidden: [String], since: Instant, _ page: PageRequest,
    _ language: Language, in database: Database
  ) throws -> Page<NotificationDelivery> {
    let before: ID<NotificationDelivery> = try page.cursor(ID<NotificationDelivery>.init(text:)) ?? .last
    let isFiltered = input.channel != nil || input.state != nil || !hidden.isEmpty
    // The last that the page looks at; nil where fewer than that are left.
    let last: ID<NotificationDelivery>? = try database.first(
      "SELECT delivery_id FROM deliveries WHERE account_id = ? AND delivery_id < ? ORDER BY delivery_id DESC LIMIT 1 OFFSET ?",
      .id(account), .id(before), .number((isFiltered ? maxSearched : page.fetchLimit) - 1)
    ) { try $0.id(0) }
    let statement = try database.cachedStatement(
      sql: """
        SELECT d.*, \(ReadMarkStore.readAt("n")) AS read_at FROM deliveries d LEFT JOIN notifications n
          ON d.channel = 'inbox' AND n.notification_id = d.notification_id
        WHERE d.account_id = :account AND d.delivery_id < :before AND d.delivery_id >= :end AND d.created_at >= :since
          AND (:channel IS NULL OR d.channel = :channel) AND (:state IS NULL OR d.state = :state)
          AND d.kind NOT IN (\(NotificationKind.list(hidden)))
        ORDER BY d.delivery_id DESC LIMIT :limit
        """)
    let rows = try Row.fetchAll(
      statement,
      arguments: [
        "account": account, "before": before, "end": last ?? .placeholder, "since": since, "channel": input.channel,
        "state": input.state, "limit": page.fetchLimit,
      ])
    guard let last, rows.count <= page.limit else {
      return page.page(of: rows, key: { $0["delivery_id"] as ID<NotificationDelivery> }) { NotificationDelivery($0, language) }
    }
    // An id is made once that has happened which it reports, perhaps long after: behind an id that is too old, all that happened is too.
    return page.page(rows.map { NotificationDelivery($0, language) }, goingOnBehind: last.instant < since ? nil : last)
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
  /// From a row of ``DeliveryStore/list(of:_:without:since:_:_:in:)``.
  fileprivate init(_ row: Row, _ language: Language) {
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
