import GRDB
import Storage

extension SessionStore {
  /// Sessions and their tokens: among the first tables, see ``AccountStore/migration(_:)``.
  static let tables = """
    CREATE TABLE sessions (
      session_id BLOB NOT NULL PRIMARY KEY CHECK (length(session_id) = 16),
      account_id BLOB NOT NULL REFERENCES accounts (account_id),
      device TEXT,
      address TEXT,
      user_agent TEXT,
      created_at INTEGER NOT NULL,
      -- 30 days after the last refresh.
      expires_at INTEGER NOT NULL,
      revoked_at INTEGER,
      revocation_reason TEXT,
      CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sessions_by_account ON sessions (account_id);
    CREATE INDEX sessions_by_expiry ON sessions (expires_at);
    CREATE INDEX sessions_by_revocation ON sessions (revoked_at) WHERE revoked_at IS NOT NULL;

    -- A session's tokens are a family: each except the first was exchanged for its parent.
    CREATE TABLE refresh_tokens (
      token_hash BLOB NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
      session_id BLOB NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
      parent_hash BLOB UNIQUE CHECK (length(parent_hash) = 32),
      issued_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER
    ) STRICT, WITHOUT ROWID;
    -- Only one token of a family can be exchanged.
    CREATE UNIQUE INDEX refresh_tokens_unused ON refresh_tokens (session_id) WHERE used_at IS NULL;
    CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
    """

  /// Sessions that ended with their account, see ``AccountDeletionStore/migration(_:)``.
  static let endedTable = """
    -- Sessions that ended with their account: published by the snapshot for as long as their access tokens live.
    CREATE TABLE ended_sessions (
      session_id BLOB NOT NULL PRIMARY KEY CHECK (length(session_id) = 16),
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      ended_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ended_sessions_by_end ON ended_sessions (ended_at);
    """

  /// A session from before was last seen 30 days before it expires, and where it logged in.
  static func lastSeenMigration(_ number: Int) -> Migration {
    Migration(number, "when and where sessions were last seen") { database in
      try database.execute(
        sql: """
          ALTER TABLE sessions ADD COLUMN last_seen_at INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN last_seen_address TEXT;
          UPDATE sessions SET last_seen_at = max(created_at, expires_at - 30 * 86400000), last_seen_address = address;
          """)
    }
  }

  /// So that access tokens can be outdated while their session goes on.
  static func generationsMigration(_ number: Int) -> Migration {
    Migration(number, "generations of access tokens") { database in
      try database.execute(
        sql: """
          ALTER TABLE sessions ADD COLUMN token_generation INTEGER NOT NULL DEFAULT 0;
          -- When the generation last changed.
          ALTER TABLE sessions ADD COLUMN outdated_at INTEGER;
          CREATE INDEX sessions_by_outdating ON sessions (outdated_at) WHERE outdated_at IS NOT NULL;
          """)
    }
  }

  /// The account of a session may be gone: of a deleted account that has many sessions, they go in steps behind it.
  static func deletedAccountsMigration(_ number: Int) -> Migration {
    Migration(number, "sessions of deleted accounts") { database in
      try database.redeclare(
        "sessions", replacing: "account_id BLOB NOT NULL REFERENCES accounts (account_id)", with: "account_id BLOB NOT NULL")
    }
  }

  /// An account may have thousands of sessions that ended lately.
  static func liveMigration(_ number: Int) -> Migration {
    Migration(number, "live sessions by account") { database in
      try database.execute(sql: "CREATE INDEX sessions_live ON sessions (account_id, session_id) WHERE revoked_at IS NULL")
    }
  }

  /// Accounts that had more live sessions than they may have since, and before when the sessions were seen last that end for it: of those
  /// in doubt and of the others each, all but as many as may be.
  static func surplusMigration(_ number: Int) -> Migration {
    Migration(number, "accounts with too many sessions") { database in
      try database.execute(
        sql: """
          -- Until a worker has ended the surplus: then it is empty for ever.
          CREATE TABLE session_surpluses (
            account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
            is_in_doubt INTEGER NOT NULL CHECK (is_in_doubt IN (0, 1)),
            seen_before INTEGER NOT NULL,
            PRIMARY KEY (account_id, is_in_doubt)
          ) STRICT, WITHOUT ROWID;
          INSERT INTO session_surpluses (account_id, is_in_doubt, seen_before)
            SELECT account_id, is_in_doubt, last_seen_at FROM (
              SELECT account_id, is_in_doubt, last_seen_at,
                row_number() OVER (PARTITION BY account_id, is_in_doubt ORDER BY last_seen_at DESC) AS place
              FROM (
                SELECT account_id, last_seen_at, EXISTS (
                  SELECT 1 FROM login_alert_sessions AS begun JOIN login_alerts AS alert ON alert.alert_id = begun.alert_id
                  WHERE begun.session_id = session.session_id AND alert.answered_at IS NULL AND alert.level = 'suspicious'
                ) AS is_in_doubt
                FROM sessions AS session
                WHERE revoked_at IS NULL AND account_id IN (
                  SELECT account_id FROM sessions WHERE revoked_at IS NULL GROUP BY account_id HAVING count(*) > 10)
                  AND account_id IN (SELECT account_id FROM accounts)))
            WHERE place = iif(is_in_doubt, 10, 100);
          """)
    }
  }

  /// A session that is in use for its month has thousands of tokens, and each exchange deletes those that have expired.
  static func expiryMigration(_ number: Int) -> Migration {
    Migration(number, "refresh tokens by their expiry") { database in
      try database.execute(
        sql: """
          CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (session_id, expires_at);
          DROP INDEX refresh_tokens_by_session;
          """)
    }
  }
}
