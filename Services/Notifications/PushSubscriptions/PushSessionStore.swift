import GRDB
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// How the sessions stand to which devices belong. That one has expired, or is gone since a store was restored, no event tells: so identity is
/// asked before something is sent, and now and then.
enum PushSessionStore {
  /// How long an answer holds.
  static let freshSeconds = 60
  /// How long it holds of a session in doubt, to which nothing is sent until its owner has answered.
  static let doubtSeconds = 20
  /// How long it holds of one to which nothing is to be sent.
  static let idleSeconds = 21_600

  /// The sessions to be asked about before what is due now can be sent.
  static func due(at now: Instant, in database: Database) throws -> [SessionID] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT DISTINCT s.session_id FROM push_requests AS r JOIN push_subscriptions AS s ON s.subscription_id = r.subscription_id
        WHERE r.state = 'waiting' AND r.next_at <= ?1 AND s.checked_at < iif(s.is_paused, ?3, ?2)
        LIMIT \(CheckSessions.maxSessions)
        """)
    return try SessionID.fetchAll(
      statement, arguments: [now, now.adding(seconds: -freshSeconds), now.adding(seconds: -doubtSeconds)])
  }

  /// The sessions that nobody has asked about for long.
  static func idle(at now: Instant, in database: Database) throws -> [SessionID] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT DISTINCT session_id FROM push_subscriptions WHERE checked_at < ? ORDER BY checked_at LIMIT \(CheckSessions.maxSessions)
        """)
    return try SessionID.fetchAll(statement, arguments: [now.adding(seconds: -idleSeconds)])
  }

  /// Asks identity about sessions, and keeps the answers.
  ///
  /// - Throws: what the request for it ends in where identity is away.
  static func check(_ sessions: [SessionID], _ identity: ServiceClient, _ store: Store) async throws {
    guard !sessions.isEmpty else { return }
    let standings = try await identity.request(CheckSessions.self, .init(sessionIDs: sessions)).standings
    guard standings.count == sessions.count else { throw Failure(RequestFailure.internalError) }
    try await store.write { transaction in
      for (session, standing) in zip(sessions, standings) { try note(session, standing, transaction) }
    }
  }

  private static func note(_ session: SessionID, _ standing: SessionStanding, _ transaction: Transaction) throws {
    guard standing != .ended else { return try PushSubscriptionStore.remove(of: session, transaction) }
    try transaction.database.run(
      "UPDATE push_subscriptions SET checked_at = ?, is_paused = ? WHERE session_id = ?", .instant(transaction.now),
      .truth(standing == .inDoubt), .id(session))
  }

  /// Lets identity be asked about all of them anew: this store or identity's may have been restored.
  static func doubtAll(_ transaction: Transaction) throws {
    try transaction.database.run("UPDATE push_subscriptions SET checked_at = 0 WHERE checked_at > 0")
  }
}
