import GRDB
import Storage

/// What was added to the tables of sessions since the first migration.
enum SessionSchema {
  /// A session from before was last seen 30 days before it expires, and where it logged in.
  static let lastSeen = """
    ALTER TABLE sessions ADD COLUMN last_seen_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN last_seen_address TEXT;
    UPDATE sessions SET last_seen_at = max(created_at, expires_at - 30 * 86400000), last_seen_address = address;
    """

  /// So that access tokens can be outdated while their session goes on.
  static let generations = """
    ALTER TABLE sessions ADD COLUMN token_generation INTEGER NOT NULL DEFAULT 0;
    -- When the generation last changed.
    ALTER TABLE sessions ADD COLUMN outdated_at INTEGER;
    CREATE INDEX sessions_by_outdating ON sessions (outdated_at) WHERE outdated_at IS NOT NULL;
    """

  /// The account of a session may be gone: of a deleted account that has many sessions, they go in steps behind it.
  static func outliveAccounts(_ database: Database) throws {
    try database.redeclare(
      "sessions", replacing: "account_id BLOB NOT NULL REFERENCES accounts (account_id)", with: "account_id BLOB NOT NULL")
  }
}
