import Foundation
import GRDB
import NotificationsContract
import Operations
import Storage

/// Marks the ids of what is pushed to an account.
enum PushMessage {}

extension NotificationUrgency: DatabaseValueConvertible {}

/// The push queue: messages, the deliveries that each carries, and a request for each device. A message's content is read when it is sent.
///
/// A request is `waiting`, or `sending` while a connection has it; it is deleted when it has ended, and the message with its last request.
/// A push service gets each request once, unless the program or the connection ends meanwhile: then again, under the same topic.
enum PushStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "pushes") { database in
      try database.execute(
        sql: """
          CREATE TABLE push_messages (
            message_id BLOB NOT NULL PRIMARY KEY CHECK (length(message_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            -- The same for what replaces one another.
            source TEXT NOT NULL,
            urgency TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            -- Whether a device's push service took it, or the last reason why one did not.
            was_sent INTEGER NOT NULL DEFAULT 0 CHECK (was_sent IN (0, 1)),
            failure TEXT
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX push_messages_by_account ON push_messages (account_id);
          CREATE INDEX push_messages_by_expiry ON push_messages (expires_at);
          CREATE TABLE push_message_deliveries (
            message_id BLOB NOT NULL REFERENCES push_messages (message_id) ON DELETE CASCADE,
            delivery_id BLOB NOT NULL CHECK (length(delivery_id) = 16),
            PRIMARY KEY (message_id, delivery_id)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE push_requests (
            message_id BLOB NOT NULL REFERENCES push_messages (message_id) ON DELETE CASCADE,
            subscription_id BLOB NOT NULL REFERENCES push_subscriptions (subscription_id) ON DELETE CASCADE,
            state TEXT NOT NULL CHECK (state IN ('waiting', 'sending')),
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            next_at INTEGER NOT NULL,
            PRIMARY KEY (message_id, subscription_id)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX push_requests_due ON push_requests (next_at) WHERE state = 'waiting';
          CREATE INDEX push_requests_by_subscription ON push_requests (subscription_id);
          """)
    }
  }

  /// Finding what was being sent when the program ended, without looking at all that waits.
  static func sendingMigration(_ number: Int) -> Migration {
    Migration(number, "pushes that are being sent") { database in
      try database.execute(sql: "CREATE INDEX push_requests_sending ON push_requests (message_id) WHERE state = 'sending'")
    }
  }

  /// Finding what comes of the same, without looking at all that waits for the account.
  static func sourceMigration(_ number: Int) -> Migration {
    Migration(number, "pushes by source") { database in
      try database.execute(
        sql: """
          DROP INDEX push_messages_by_account;
          CREATE INDEX push_messages_by_source ON push_messages (account_id, source);
          """)
    }
  }

  /// Queues deliveries to an account as one message for each of its devices.
  static func add(_ deliveries: [Delivery], to account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    let kinds = deliveries.compactMap { NotificationSpec.named($0.kind) }
    let source = deliveries.count == 1 ? deliveries[0].source : PushRules.summarySource
    let end = deliveries.map { PushRules.end($0, at: transaction.now) }.max() ?? transaction.now
    let message = ID<PushMessage>()
    let urgency: NotificationUrgency = kinds.map(\.delivery.urgency).max() ?? .normal
    try database.cachedStatement(
      sql: """
        INSERT INTO push_messages (message_id, account_id, source, urgency, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      message, account, source, urgency, transaction.now, end,
    ])
    for delivery in deliveries {
      try database.run(
        "INSERT INTO push_message_deliveries (message_id, delivery_id) VALUES (?, ?)", .id(message), .id(delivery.id))
    }
    // First, so that nothing else is given up for want of their places.
    if deliveries.count == 1 { try endRepeats(before: source, of: account, transaction) }
    let devices = try PushSubscriptionStore.ids(of: account, in: database)
    for device in devices { try addRequest(of: message, to: device, from: transaction.now, transaction) }
    // The last device may have gone while it was held.
    try settle(message, otherwise: devices.isEmpty ? .noDevice : .displaced, transaction)
  }

  /// Ends a message that has no request left, and the deliveries that it carries.
  ///
  /// - Parameter reason: why nothing was sent, where no push service refused it.
  /// - Returns: how many deliveries it carried.
  @discardableResult
  static func settle(_ message: ID<PushMessage>, otherwise reason: SilenceReason, _ transaction: Transaction) throws -> Int {
    let database = transaction.database
    let statement = try database.cachedStatement(
      sql: """
        SELECT account_id, was_sent, failure, expires_at, is_repeat FROM push_messages WHERE message_id = ?1
          AND NOT EXISTS (SELECT 1 FROM push_requests WHERE message_id = ?1)
        """)
    guard let row = try Row.fetchOne(statement, arguments: [message]) else { return 0 }
    let failure: String? = row["failure"]
    let (wasSent, isRepeat): (Bool, Bool) = (row["was_sent"], row["is_repeat"])
    let end: DeliveryState = wasSent ? .sent : failure == nil ? .silent : .failed
    let why = wasSent ? nil : failure ?? reason.rawValue
    let carried = try deliveries(of: message, in: database)
    // The delivery of a replacement ends with the push that it replaces.
    for delivery in carried where !isRepeat {
      try DeliveryStore.finish(delivery, of: row["account_id"], end, reason: why, transaction)
    }
    // What came with others is under a topic of all of them.
    if wasSent, !isRepeat, carried.count == 1 {
      try noteShown(carried[0], of: row["account_id"], until: row["expires_at"], transaction)
    }
    try database.run("DELETE FROM push_messages WHERE message_id = ?", .id(message))
    return carried.count
  }

  /// Ends the deliveries that a message no longer includes, unless a device has got it.
  static func leaveOut(
    _ ended: [ID<NotificationDelivery>: SilenceReason], of message: ID<PushMessage>, _ transaction: Transaction
  ) throws {
    let account: AccountID? = try transaction.database.first(
      "SELECT account_id FROM push_messages WHERE message_id = ? AND was_sent = 0", .id(message)
    ) { try $0.id(0) }
    guard let account else { return }
    for (delivery, reason) in ended {
      try DeliveryStore.finish(delivery, of: account, .silent, reason: reason.rawValue, transaction)
    }
  }

  /// Ends a message without any content left, with all of its requests.
  static func withdraw(_ message: ID<PushMessage>, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM push_requests WHERE message_id = ?", .id(message))
    try settle(message, otherwise: .withdrawn, transaction)
  }

  /// What a message carries, in the order in which it was to go.
  static func deliveries(of message: ID<PushMessage>, in database: Database) throws -> [ID<NotificationDelivery>] {
    let statement = try database.cachedStatement(
      sql: "SELECT delivery_id FROM push_message_deliveries WHERE message_id = ? ORDER BY delivery_id")
    return try ID<NotificationDelivery>.fetchAll(statement, arguments: [message])
  }

  /// The messages on their way to a device.
  static func messages(to subscription: ID<PushSubscription>, in database: Database) throws -> [ID<PushMessage>] {
    let statement = try database.cachedStatement(sql: "SELECT message_id FROM push_requests WHERE subscription_id = ?")
    return try ID<PushMessage>.fetchAll(statement, arguments: [subscription])
  }
}
