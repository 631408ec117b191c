import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Held deliveries and their release.
extension DeliveryStore {
  /// Deliveries to one account by one channel that are due together.
  struct Group: Hashable, Sendable {
    let account: AccountID
    let channel: NotificationChannel
  }

  /// More of one group go with the next.
  static let maxInGroup = 500

  /// When the next held delivery is due.
  static func nextDue(in database: Database) throws -> Instant? {
    try Instant.fetchOne(database.cachedStatement(sql: "SELECT min(not_before) FROM deliveries WHERE state = 'held'"))
  }

  /// The group of what is due longest; nil where nothing is due.
  static func dueGroup(at now: Instant, in database: Database) throws -> Group? {
    let statement = try database.cachedStatement(
      sql: "SELECT account_id, channel FROM deliveries WHERE state = 'held' AND not_before <= ? ORDER BY not_before LIMIT 1")
    return try Row.fetchOne(statement, arguments: [now]).map { Group(account: $0["account_id"], channel: $0["channel"]) }
  }

  /// What is due longest of a group, in the order in which it was to go.
  static func due(_ group: Group, at now: Instant, in database: Database) throws -> [Delivery] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM deliveries INDEXED BY deliveries_held
        WHERE account_id = ? AND channel = ? AND state = 'held' AND not_before <= ?
        ORDER BY not_before LIMIT ?
        """)
    return try Row.fetchAll(statement, arguments: [group.account, group.channel, now, maxInGroup]).map(Delivery.init)
      .sorted { $0.id < $1.id }
  }

  /// The deliveries of an account by their ids, as far as they are on their way.
  static func queued(
    _ id: ID<NotificationDelivery>, of account: AccountID, in database: Database
  ) throws -> Delivery? {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM deliveries WHERE account_id = ? AND delivery_id = ? AND state = 'queued'")
    return try Row.fetchOne(statement, arguments: [account, id]).map(Delivery.init)
  }

  // MARK: - Mails

  /// Notes the mail that carries a delivery.
  static func carry(_ delivery: Delivery, by mail: ID<Mail>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE deliveries SET mail_id = ? WHERE account_id = ? AND delivery_id = ?"
    ).execute(arguments: [mail, delivery.account, delivery.id])
  }

  /// The deliveries of a mail: how many in all, how many of them have ended silently, and those still on their way, in their order.
  static func carried(
    by mail: ID<Mail>, in database: Database
  ) throws -> (count: Int, silentCount: Int, queued: [Delivery]) {
    let statement = try database.cachedStatement(sql: "SELECT * FROM deliveries WHERE mail_id = ? ORDER BY delivery_id")
    let rows = try Row.fetchAll(statement, arguments: [mail])
    return (
      rows.count, rows.count { $0["state"] as DeliveryState == .silent },
      rows.filter { $0["state"] as DeliveryState == .queued }.map(Delivery.init)
    )
  }

  /// Ends the deliveries that a mail carries, as the mail has ended.
  static func finish(mail: ID<Mail>, _ end: MailStore.End, _ failure: MailFailure?, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "SELECT account_id, delivery_id FROM deliveries WHERE mail_id = ? AND state = 'queued'")
    for row in try Row.fetchAll(statement, arguments: [mail]) {
      let (state, reason): (DeliveryState, String?) =
        switch end {
        case .delivered: (.sent, nil)
        case .obsolete: (.silent, SilenceReason.obsolete.rawValue)
        case .dead: (.failed, failure?.code ?? MailFailure.interrupted.code)
        }
      try finish(row["delivery_id"], of: row["account_id"], state, reason: reason, transaction)
    }
  }

  /// Notes that a mail which was given up is tried again.
  static func revive(mail: ID<Mail>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE deliveries SET state = 'queued', reason = NULL, finished_at = NULL WHERE mail_id = ? AND state = 'failed'
        """
    ).execute(arguments: [mail])
  }
}

extension Delivery {
  /// From a row of `deliveries`.
  init(_ row: Row) {
    self.init(
      id: row["delivery_id"], account: row["account_id"], channel: row["channel"],
      kind: NotificationKind.presentName(of: row["kind"]), source: row["source"], subject: row["subject_id"],
      notification: row["notification_id"], createdAt: row["created_at"], endsAt: row["ends_at"], hold: row["hold"])
  }
}
