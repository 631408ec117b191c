import GRDB
import Storage

extension LoginAlertStore {
  /// The tables behind the assessment of logins.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "known devices and places, alerts of logins") { database in
      try database.execute(sql: LoginHistoryStore.tables + alerts)
    }
  }

  /// Thousands of sessions that ended may have begun under one alert: their rows go with the sessions, which are removed in steps. And of
  /// the alerts that nobody answered, each is gone through once.
  static func lapseMigration(_ number: Int) -> Migration {
    Migration(number, "unanswered alerts of logins") { database in
      try database.redeclare(
        "login_alert_sessions", replacing: "alert_id BLOB NOT NULL REFERENCES login_alerts (alert_id) ON DELETE CASCADE",
        with: "alert_id BLOB NOT NULL")
      try database.execute(
        sql: """
          -- When all its sessions had been ended, since nobody had answered.
          ALTER TABLE login_alerts ADD COLUMN lapsed_at INTEGER;
          CREATE INDEX login_alerts_unlapsed ON login_alerts (expires_at)
            WHERE answered_at IS NULL AND level = 'suspicious' AND lapsed_at IS NULL;
          """)
    }
  }

  /// An account may have very many notices from before their number was bounded: they are removed in steps behind it where it is deleted.
  /// Alerts that have an effect are kept for as long as they have it; those of before are looked at spread over a month.
  static func boundMigration(_ number: Int) -> Migration {
    Migration(number, "alerts of logins by their level and need") { database in
      try database.redeclare(
        "login_alerts", replacing: "account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE",
        with: "account_id BLOB NOT NULL")
      try database.execute(
        sql: """
          -- When it was last found to have an effect; its expiry at first.
          ALTER TABLE login_alerts ADD COLUMN needed_at INTEGER NOT NULL DEFAULT 0;
          UPDATE login_alerts SET needed_at = max(expires_at, unixepoch() * 1000 - abs(random() % 2592000000));
          -- Whether the login was by password and not by a provider. It matters for a day: those of before count as by password.
          ALTER TABLE login_alerts ADD COLUMN is_by_password INTEGER NOT NULL DEFAULT 1 CHECK (is_by_password IN (0, 1));
          CREATE INDEX login_alerts_by_need ON login_alerts (needed_at);
          DROP INDEX login_alerts_by_expiry;
          CREATE INDEX login_alerts_by_level ON login_alerts (account_id, level, created_at);
          CREATE INDEX login_alerts_closed ON login_alerts (account_id, created_at) WHERE answer = 'close';
          """)
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
