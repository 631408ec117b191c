import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The log of deliveries: listed by who they went to, counted for operators.
enum DeliveryHandlers {
  /// What waits is counted no further.
  private static let maxWaiting = 100_000

  static func list(_ input: ListDeliveries.Input, _ call: AccountCall, _ database: Database) throws -> Page<NotificationDelivery>
  {
    let page = try call.page(input)
    // A session in doubt learns nothing of logins.
    let hidden = call.caller.isInDoubt == true ? NotificationSpec.all.filter { $0.category == .logins }.map(\.name) : []
    let rows = try DeliveryStore.list(
      of: call.account, input, without: hidden, since: call.now.adding(seconds: -ListDeliveries.days * 86_400),
      before: page.cursor(ID<NotificationDelivery>.init(text:)), limit: page.fetchLimit, in: database)
    return page.page(of: rows, key: { $0["delivery_id"] as ID<NotificationDelivery> }) {
      NotificationDelivery($0, call.language)
    }
  }

  static func statistics(
    _ input: ReadDeliveryStatistics.Input, _ call: AccountCall, _ database: Database
  ) throws -> ReadDeliveryStatistics.Output {
    let first = DeliveryStore.day(of: call.now).adding(seconds: ((input.days ?? 7) - 1) * -86_400)
    return ReadDeliveryStatistics.Output(
      figures: try DeliveryStore.figures(since: first, in: database),
      waiting: try DeliveryStore.waiting(limit: maxWaiting, in: database))
  }
}

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
  fileprivate static func figures(since day: Instant, in database: Database) throws -> [DeliveryStatistic] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT channel, \(NotificationKind.presentSQL) AS kind, outcome, reason, sum(count) AS count FROM delivery_figures
        WHERE day >= ? GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        """)
    return try Row.fetchAll(statement, arguments: [day]).map(DeliveryStatistic.init)
  }

  /// What waits now.
  fileprivate static func waiting(limit: Int, in database: Database) throws -> [DeliveryStatistic] {
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
