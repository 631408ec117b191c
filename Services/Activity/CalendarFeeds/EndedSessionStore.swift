import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The sessions that ended recently. The gateway may still accept a request of a session whose end it does not know yet; such a request
/// must not create anything lasting.
enum EndedSessionStore {
  /// How long a session is remembered: longer than its last access token is accepted (10 minutes) and any request takes.
  static let keptSeconds = 1800

  static func migration(_ number: Int) -> Migration {
    Migration(number, "ended sessions") { database in
      try database.execute(
        sql: """
          -- Without the account: an id that means nothing any more, kept for half an hour.
          CREATE TABLE ended_sessions (
            session_id BLOB NOT NULL PRIMARY KEY CHECK (length(session_id) = 16),
            ended_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX ended_sessions_by_time ON ended_sessions (ended_at);
          """)
    }
  }

  /// Records the end of a session, and forgets old ones.
  static func note(_ session: SessionRevoked, _ transaction: Transaction) throws {
    let oldest = transaction.now.adding(seconds: -keptSeconds)
    try transaction.database.run("DELETE FROM ended_sessions WHERE ended_at < ?", .instant(oldest))
    // The publisher may send old events again when a subscriber starts from the beginning.
    guard session.at >= oldest else { return }
    try transaction.database.run(
      "INSERT INTO ended_sessions (session_id, ended_at) VALUES (?, ?) ON CONFLICT DO NOTHING", .id(session.sessionID),
      .instant(session.at))
  }

  /// - Throws: `session_revoked` where the session has ended.
  static func expectLive(_ session: SessionID, in database: Database) throws {
    let hasEnded = try database.first("SELECT 1 FROM ended_sessions WHERE session_id = ?", .id(session)) { _ in true }
    guard hasEnded == nil else { throw Failure(RequestFailure.sessionRevoked) }
  }
}
