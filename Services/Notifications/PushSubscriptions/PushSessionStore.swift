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

  /// What identity said of a session.
  struct Answer: Hashable, Sendable {
    let at: Instant
    /// Whether the session was in doubt.
    let isPaused: Bool

    /// Whether identity need not be asked again.
    ///
    /// - Parameter start: as for ``PushSessionStore/oldest(_:at:since:)``.
    func holds(at now: Instant, since start: Instant) -> Bool {
      let seconds = isPaused ? PushSessionStore.doubtSeconds : PushSessionStore.freshSeconds
      return PushSessionStore.oldest(seconds, at: now, since: start) <= at && at <= now
    }
  }

  /// When the oldest of the answers that hold was given.
  ///
  /// - Parameters:
  ///   - seconds: how long an answer holds.
  ///   - start: when the worker that asks was started. What was said before is in doubt: this store or identity's may have been restored.
  private static func oldest(_ seconds: Int, at now: Instant, since start: Instant) -> Instant {
    let oldest = now.adding(seconds: -seconds)
    // Where the clock was set back after the start, no answer would be new enough for long.
    return start <= now ? max(start, oldest) : oldest
  }

  /// The sessions to be asked about before what is due now can be sent.
  ///
  /// - Parameter start: when the worker was started; what was said before is in doubt.
  static func due(at now: Instant, since start: Instant, in database: Database) throws -> [SessionID] {
    let requests = try PushStore.due(at: now, in: database).filter { !$0.answer.holds(at: now, since: start) }
    return Array(Set(requests.map(\.session)))
  }

  /// The sessions that nobody has asked about for long.
  ///
  /// - Parameter start: when the worker was started; what was said before is in doubt.
  static func idle(at now: Instant, since start: Instant, in database: Database) throws -> [SessionID] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT DISTINCT session_id FROM push_subscriptions WHERE checked_at < ? ORDER BY checked_at LIMIT \(CheckSessions.maxSessions)
        """)
    return try SessionID.fetchAll(statement, arguments: [oldest(idleSeconds, at: now, since: start)])
  }

  /// Asks identity about sessions, and stores the answers.
  ///
  /// - Throws: the request's failure, where identity cannot be reached.
  static func check(_ sessions: [SessionID], _ identity: ServiceClient, _ store: Store) async throws {
    guard !sessions.isEmpty else { return }
    let states = try await identity.request(CheckSessions.self, .init(sessionIDs: sessions)).states
    guard states.count == sessions.count else { throw Failure(RequestFailure.internalError) }
    try await store.write { transaction in
      for (session, state) in zip(sessions, states) where state != .ended { try note(session, state, transaction) }
    }
    // Each in its own transaction, since what waits for its devices ends too.
    for (session, state) in zip(sessions, states) where state == .ended {
      try await store.write { try PushSubscriptionStore.remove(of: session, $0) }
    }
  }

  private static func note(_ session: SessionID, _ state: SessionState, _ transaction: Transaction) throws {
    if state == .live { try PushStore.resume(session, transaction) }
    try transaction.database.run(
      "UPDATE push_subscriptions SET checked_at = ?, is_paused = ? WHERE session_id = ?", .instant(transaction.now),
      .truth(state == .inDoubt), .id(session))
  }
}
