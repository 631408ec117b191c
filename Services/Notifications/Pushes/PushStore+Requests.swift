import Foundation
import GRDB
import IdentityContract
import NotificationsContract
import Operations
import Storage

/// The requests of the queue: taken on, ended, put back.
extension PushStore {
  /// A request that a connection has taken on.
  struct Job: Sendable {
    let message: ID<PushMessage>
    let subscription: ID<PushSubscription>
    let account: AccountID
    let source: String
    let urgency: NotificationUrgency
    let createdAt: Instant
    let expiresAt: Instant
    let endpoint: PushEndpoint
    let key: PushKey
    let secret: PushSecret
    let serverKey: PushKey
    /// The device's language; nil where it has the account's.
    let language: Language?
    /// Which attempt this is, from 1 on.
    let attempt: Int
    /// Whether it replaces a sent push, with the current content.
    let isRepeat: Bool
  }

  /// Claims the requests that are due to devices with a live session, the longest due first. Requests that are out of date are ended.
  static func claim(atMost count: Int, _ transaction: Transaction) throws -> [Job] {
    let (database, now) = (transaction.database, transaction.now)
    try expire(transaction)
    let due = try database.cachedStatement(
      sql: """
        SELECT r.message_id, r.subscription_id FROM push_requests AS r
          JOIN push_subscriptions AS s ON s.subscription_id = r.subscription_id
        WHERE r.state = 'waiting' AND r.next_at <= ? AND s.is_paused = 0 AND s.checked_at >= ?
        ORDER BY r.next_at, r.message_id LIMIT ?
        """)
    let fresh = now.adding(seconds: -PushSessionStore.freshSeconds)
    return try Row.fetchAll(due, arguments: [now, fresh, count]).map { row in
      let (message, subscription): (ID<PushMessage>, ID<PushSubscription>) = (row["message_id"], row["subscription_id"])
      try database.run(
        "UPDATE push_requests SET state = 'sending', attempts = attempts + 1 WHERE message_id = ? AND subscription_id = ?",
        .id(message), .id(subscription))
      return try job(message, subscription, in: database)
    }
  }

  private static func job(
    _ message: ID<PushMessage>, _ subscription: ID<PushSubscription>, in database: Database
  ) throws -> Job {
    let statement = try database.cachedStatement(
      sql: """
        SELECT m.*, s.endpoint, s.device_key, s.secret, s.server_key, s.language, r.attempts FROM push_requests AS r
          JOIN push_messages AS m ON m.message_id = r.message_id
          JOIN push_subscriptions AS s ON s.subscription_id = r.subscription_id
        WHERE r.message_id = ? AND r.subscription_id = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [message, subscription]),
      let key = PushKey(bytes: Array(row["device_key"] as Data)), let serverKey = PushKey(bytes: Array(row["server_key"] as Data))
    else { throw Failure(RequestFailure.internalError) }
    return Job(
      message: message, subscription: subscription, account: row["account_id"], source: row["source"], urgency: row["urgency"],
      createdAt: row["created_at"], expiresAt: row["expires_at"], endpoint: row["endpoint"], key: key,
      secret: try PushSecret(text: Base64Bytes(Array(row["secret"] as Data)).description), serverKey: serverKey,
      language: row["language"], attempt: row["attempts"], isRepeat: row["is_repeat"])
  }

  /// Ends requests that are out of date, except those being sent, which end by themselves.
  private static func expire(_ transaction: Transaction) throws {
    let database = transaction.database
    let statement = try database.cachedStatement(sql: "SELECT message_id FROM push_messages WHERE expires_at <= ? LIMIT 200")
    for message in try ID<PushMessage>.fetchAll(statement, arguments: [transaction.now]) {
      try database.run("DELETE FROM push_requests WHERE message_id = ? AND state = 'waiting'", .id(message))
      try settle(message, otherwise: .late, transaction)
    }
  }

  /// When the next request is due, among devices that take pushes; nil where none waits.
  static func nextDue(in database: Database) throws -> Instant? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT min(r.next_at) FROM push_requests AS r JOIN push_subscriptions AS s ON s.subscription_id = r.subscription_id
        WHERE r.state = 'waiting' AND s.is_paused = 0
        """)
    return try Instant.fetchOne(statement)
  }

  /// Whether something waits for a device that is paused.
  static func hasPaused(in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        SELECT 1 FROM push_requests AS r JOIN push_subscriptions AS s ON s.subscription_id = r.subscription_id
        WHERE r.state = 'waiting' AND s.is_paused = 1 LIMIT 1
        """)
    return try Row.fetchOne(statement) != nil
  }

  /// Notes what became of a request.
  static func finish(_ job: Job, _ answer: PushAnswer, _ retry: PushRetry, _ transaction: Transaction) throws {
    switch answer {
    case .accepted:
      try transaction.database.run("UPDATE push_messages SET was_sent = 1 WHERE message_id = ?", .id(job.message))
      try PushSubscriptionStore.noteSent(job.subscription, transaction)
      try end(job, transaction)
    case .gone: try PushSubscriptionStore.remove(job.subscription, transaction)
    case .never(let failure):
      try note(failure, job, transaction)
      try end(job, transaction)
    case .later(let failure, let seconds):
      try note(failure, job, transaction)
      let delay = retry.delaySeconds(attempts: job.attempt, asked: seconds)
      let next = transaction.now.adding(seconds: delay)
      guard next < job.expiresAt else { return try end(job, transaction) }
      try putBack(job, until: next, transaction)
    }
  }

  /// Lets a request wait.
  private static func putBack(_ job: Job, until next: Instant, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE push_requests SET state = 'waiting', next_at = ? WHERE message_id = ? AND subscription_id = ? AND state = 'sending'",
      .instant(next), .id(job.message), .id(job.subscription))
  }

  private static func note(_ failure: PushFailure, _ job: Job, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE push_messages SET failure = ? WHERE message_id = ?", .text(failure.code), .id(job.message))
  }

  private static func end(_ job: Job, _ transaction: Transaction) throws {
    try transaction.database.run(
      "DELETE FROM push_requests WHERE message_id = ? AND subscription_id = ?", .id(job.message), .id(job.subscription))
    try settle(job.message, otherwise: .noDevice, transaction)
  }

  /// Puts back what was being sent when the program ended: whether it arrived is unknown, so it is sent again, under the same topic.
  static func recover(_ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE push_requests SET state = 'waiting', next_at = ? WHERE state = 'sending'", .instant(transaction.now))
  }
}
