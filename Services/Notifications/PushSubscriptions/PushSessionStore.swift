import GRDB
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The states of the sessions that devices belong to. No event reports that a session has expired, or is gone after a restore: so
/// identity is asked before a push is sent, and from time to time.
enum PushSessionStore {
  /// How long an answer holds.
  static let freshSeconds = 60
  /// How long the answer for a session in doubt holds; nothing is sent to it until its owner has answered.
  static let doubtSeconds = 20
  /// How long the answer holds for a session without due pushes.
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

  /// Asks identity about sessions, and stores the answers.
  ///
  /// - Throws: the request's failure, where identity cannot be reached.
  static func check(_ sessions: [SessionID], _ identity: ServiceClient, _ store: Store) async throws {
    guard !sessions.isEmpty else { return }
    let states = try await identity.request(CheckSessions.self, .init(sessionIDs: sessions)).states
    guard states.count == sessions.count else { throw Failure(RequestFailure.internalError) }
    try await store.write { transaction in
      for (session, state) in zip(sessions, states) { try note(session, state, transaction) }
    }
  }

  private static func note(_ session: SessionID, _ state: SessionState, _ transaction: Transaction) throws {
    guard state != .ended else { return try PushSubscriptionStore.remove(of: session, transaction) }
    try transaction.database.run(
      "UPDATE push_subscriptions SET checked_at = ?, is_paused = ? WHERE session_id = ?", .instant(transaction.now),
      .truth(state == .inDoubt), .id(session))
  }

  /// Makes identity be asked about all sessions again: this store or identity's may have been restored.
  static func doubtAll(_ transaction: Transaction) throws {
    try transaction.database.run("UPDATE push_subscriptions SET checked_at = 0 WHERE checked_at > 0")
  }
}
