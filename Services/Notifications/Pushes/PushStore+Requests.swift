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

  /// A request that is due, and what identity said of the session of its device.
  struct Due: Hashable, Sendable {
    let message: ID<PushMessage>
    let subscription: ID<PushSubscription>
    let session: SessionID
    let answer: PushSessionStore.Answer
  }

  /// Most pushes that wait for a device: Firebase Cloud Messaging's maximum of non-collapsible messages for a device that is away.
  static let maxWaiting = 100
  /// Most pushes that are given up for a device when another comes. More than one only where more wait than may: earlier versions had no
  /// maximum, and what was being sent may wait again.
  static let maxGivenUp = 10
  /// Most deliveries that end with their messages in a transaction, of which several may be summaries of hundreds.
  static let maxEnded = 500

  /// Adds a message's request for a device. Where too many wait for it, some are given up, of which the new one may be one: the inbox has
  /// them. Whoever adds a message settles it once it has the requests of all devices.
  ///
  /// - Parameter first: when it is due.
  static func addRequest(
    of message: ID<PushMessage>, to device: ID<PushSubscription>, from first: Instant, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    try database.run(
      "INSERT INTO push_requests (message_id, subscription_id, state, next_at) VALUES (?, ?, 'waiting', ?)", .id(message),
      .id(device), .instant(first))
    for displaced in try excess(to: device, in: database) {
      try database.run(
        "DELETE FROM push_requests WHERE message_id = ? AND subscription_id = ? AND state = 'waiting'", .id(displaced),
        .id(device))
      // A summary ends hundreds of deliveries: further ones wait for the next push.
      if try displaced != message && settle(displaced, otherwise: .displaced, transaction) > 1 { break }
    }
  }

  /// Those that are too many of the messages that wait for a device: replacements, which come without a sound, before all others; then the
  /// least urgent, and of those the ones that came first.
  static func excess(to device: ID<PushSubscription>, in database: Database) throws -> [ID<PushMessage>] {
    // The index has a device's messages in the order in which they came.
    let statement = try database.cachedStatement(
      sql: """
        SELECT message_id FROM push_requests INDEXED BY push_requests_by_subscription
        WHERE subscription_id = ? AND state = 'waiting' ORDER BY message_id LIMIT \(maxWaiting + maxGivenUp)
        """)
    let waiting = try ID<PushMessage>.fetchAll(statement, arguments: [device])
    guard waiting.count > maxWaiting else { return [] }
    let ranks = try waiting.compactMap { message -> (Int, NotificationUrgency, ID<PushMessage>)? in
      try database.first("SELECT is_repeat, urgency FROM push_messages WHERE message_id = ?", .id(message)) {
        ($0.truth(0) ? 0 : 1, NotificationUrgency(rawValue: $0.text(1)) ?? .normal, message)
      }
    }
    return ranks.sorted { $0 < $1 }.prefix(waiting.count - maxWaiting).map { $0.2 }
  }

  /// The requests that are due longest. They are so few that identity can be asked about all their sessions at once: then each of them is
  /// sent, put off or removed, and none of the others needs to be looked at before.
  static func due(at now: Instant, limit: Int = CheckSessions.maxSessions, in database: Database) throws -> [Due] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT r.message_id, r.subscription_id, s.session_id, s.checked_at, s.is_paused FROM push_requests AS r
          CROSS JOIN push_subscriptions AS s ON s.subscription_id = r.subscription_id
        WHERE r.state = 'waiting' AND r.next_at <= ? ORDER BY r.next_at, r.message_id LIMIT ?
        """)
    return try Row.fetchAll(statement, arguments: [now, limit]).map {
      Due(
        message: $0["message_id"], subscription: $0["subscription_id"], session: $0["session_id"],
        answer: .init(at: $0["checked_at"], isPaused: $0["is_paused"]))
    }
  }

  /// Claims the requests that are due to devices with a live session, the longest due first. Those to paused devices are put off until
  /// identity is asked about them again. Requests that are out of date are ended.
  ///
  /// - Parameter start: when the worker was started; what identity said before is in doubt.
  static func claim(atMost count: Int, since start: Instant, _ transaction: Transaction) throws -> [Job] {
    let (database, now) = (transaction.database, transaction.now)
    // Nothing is sent while there may be more that is out of date.
    if try expire(transaction) { return [] }
    var jobs: [Job] = []
    var paused: Set<ID<PushSubscription>> = []
    func isLive(_ request: Due) -> Bool { request.answer.holds(at: now, since: start) && !request.answer.isPaused }
    var requests = try due(at: now, limit: count, in: database)
    // Behind those whose turn is not yet.
    if !requests.contains(where: isLive) { requests = try due(at: now, in: database) }
    for request in requests where request.answer.holds(at: now, since: start) {
      guard jobs.count < count else { break }
      if request.answer.isPaused {
        guard paused.insert(request.subscription).inserted else { continue }
        try putOff(request, at: now, in: database)
      } else {
        try database.run(
          "UPDATE push_requests SET state = 'sending', attempts = attempts + 1 WHERE message_id = ? AND subscription_id = ?",
          .id(request.message), .id(request.subscription))
        jobs.append(try job(request.message, request.subscription, in: database))
      }
    }
    return jobs
  }

  /// Puts off what is due to a paused device. One request is due again when the answer holds no longer, so that identity is asked; the
  /// others wait for what it says, and ask themselves where that request has gone.
  private static func putOff(_ request: Due, at now: Instant, in database: Database) throws {
    let next = request.answer.at.adding(seconds: PushSessionStore.doubtSeconds).adding(milliseconds: 1)
    try database.run(
      """
      UPDATE push_requests SET next_at = iif(message_id = ?1 OR attempts > 0, ?3, ?4)
      WHERE subscription_id = ?2 AND state = 'waiting' AND next_at <= ?5
      """, .id(request.message), .id(request.subscription), .instant(next), .instant(next.adding(seconds: 600)), .instant(now))
  }

  /// Makes what was put off for the devices of a session due at once: it is no longer in doubt.
  static func resume(_ session: SessionID, _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      UPDATE push_requests SET next_at = min(next_at, ?2) WHERE state = 'waiting' AND attempts = 0 AND subscription_id IN (
        SELECT subscription_id FROM push_subscriptions WHERE session_id = ?1 AND is_paused = 1)
      """, .id(session), .instant(transaction.now))
  }

  /// Makes what was put off for a paused device due at once: it subscribes anew.
  static func resume(_ endpoint: PushEndpoint, of account: AccountID, _ transaction: Transaction) throws {
    // What a push service was given waits for as long as that asked for.
    try transaction.database.run(
      """
      UPDATE push_requests SET next_at = min(next_at, ?3) WHERE state = 'waiting' AND attempts = 0 AND subscription_id = (
        SELECT subscription_id FROM push_subscriptions WHERE account_id = ?1 AND endpoint = ?2 AND is_paused = 1)
      """, .id(account), .text(endpoint.description), .instant(transaction.now))
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

  /// Ends requests that are out of date, except those being sent, which end by themselves, and messages whose last device was removed.
  ///
  /// - Returns: whether they carry so many deliveries that the next claim goes on.
  private static func expire(_ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    var count = 0
    let statement = try database.cachedStatement(sql: "SELECT message_id FROM push_messages WHERE expires_at <= ? LIMIT 200")
    for message in try ID<PushMessage>.fetchAll(statement, arguments: [transaction.now]) {
      if count > 0, try count + carriedCount(of: message, in: database) > maxEnded { return true }
      try database.run("DELETE FROM push_requests WHERE message_id = ? AND state = 'waiting'", .id(message))
      count += try settle(message, otherwise: database.changesCount > 0 ? .late : .noDevice, transaction)
    }
    return false
  }

  /// Whether a claim has something to end that is out of date.
  static func hasExpired(at now: Instant, in database: Database) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM push_messages WHERE expires_at <= ? AND NOT EXISTS (
        SELECT 1 FROM push_requests r WHERE r.message_id = push_messages.message_id AND r.state = 'sending')
      LIMIT 1
      """, .instant(now)
    ) { _ in true } ?? false
  }

  /// How many deliveries a message carries.
  private static func carriedCount(of message: ID<PushMessage>, in database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM push_message_deliveries WHERE message_id = ?", .id(message)) { $0.number(0) } ?? 0
  }

  /// Ends messages on their way to devices that were removed, as far as no other device gets them. Summaries that carry more deliveries
  /// than still end in the transaction are out of date now. What was pushed alone, of which few wait for a device, is not: another device
  /// that has it shows it for as long as before.
  static func endRemoved(_ messages: [ID<PushMessage>], _ transaction: Transaction) throws {
    var count = 0
    for message in messages {
      let carried = try carriedCount(of: message, in: transaction.database)
      if carried > 1, count > 0, count + carried > maxEnded {
        try transaction.database.run(
          """
          UPDATE push_messages SET expires_at = min(expires_at, ?2) WHERE message_id = ?1
            AND NOT EXISTS (SELECT 1 FROM push_requests WHERE message_id = ?1)
          """, .id(message), .instant(transaction.now))
      } else {
        count += try settle(message, otherwise: .noDevice, transaction)
      }
    }
  }

  /// When the next request is due; nil where none waits.
  static func nextDue(in database: Database) throws -> Instant? {
    try Instant.fetchOne(database.cachedStatement(sql: "SELECT min(next_at) FROM push_requests WHERE state = 'waiting'"))
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
