import GRDB
import Storage

extension LoginAlertStore {
  /// The tables behind the assessment of logins.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "known devices and places, alerts of logins") { database in
      try database.execute(sql: LoginHistoryStore.tables + alerts)
    }
  }

  private static let alerts = """
    -- An unusual login. As with other mailed links, the token is not stored.
    CREATE TABLE login_alerts (
      alert_id BLOB NOT NULL PRIMARY KEY CHECK (length(alert_id) = 16),
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      level TEXT NOT NULL CHECK (level IN ('notice', 'suspicious', 'high')),
      -- Names, a blank between.
      reasons TEXT NOT NULL,
      device TEXT,
      user_agent TEXT,
      address TEXT,
      device_key BLOB NOT NULL CHECK (length(device_key) = 32),
      network TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      answer TEXT CHECK (answer IN ('confirm', 'close')),
      answered_at INTEGER,
      CHECK ((answer IS NULL) = (answered_at IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX login_alerts_by_account ON login_alerts (account_id, alert_id);
    CREATE INDEX login_alerts_by_expiry ON login_alerts (expires_at);

    -- The sessions that began with the login; none if it was refused.
    CREATE TABLE login_alert_sessions (
      alert_id BLOB NOT NULL REFERENCES login_alerts (alert_id) ON DELETE CASCADE,
      session_id BLOB NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
      PRIMARY KEY (alert_id, session_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX login_alert_sessions_by_session ON login_alert_sessions (session_id);
    """
}
