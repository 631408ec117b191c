/// The tables behind the judgement of logins.
enum LoginAlertSchema {
  static let first = """
    -- A keyed hash of account and what its client says of itself.
    CREATE TABLE known_devices (
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      device_key BLOB NOT NULL CHECK (length(device_key) = 32),
      last_seen_at INTEGER NOT NULL,
      PRIMARY KEY (account_id, device_key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX known_devices_by_time ON known_devices (last_seen_at);

    CREATE TABLE known_places (
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      network TEXT NOT NULL,
      country_code TEXT,
      -- Of the city or the country; for the judgement alone.
      latitude REAL,
      longitude REAL,
      last_seen_at INTEGER NOT NULL,
      PRIMARY KEY (account_id, network),
      CHECK ((latitude IS NULL) = (longitude IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX known_places_by_time ON known_places (last_seen_at);

    -- A login that was unlike its account. As with other mailed links, the token is kept nowhere.
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

    -- The sessions that began so; none where the login was refused.
    CREATE TABLE login_alert_sessions (
      alert_id BLOB NOT NULL REFERENCES login_alerts (alert_id) ON DELETE CASCADE,
      session_id BLOB NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
      PRIMARY KEY (alert_id, session_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX login_alert_sessions_by_session ON login_alert_sessions (session_id);
    """

  /// Whether an alert still says something of what goes on: nothing is trusted because time has passed. A session that began with a login
  /// for which nobody has answered may not answer for others, or is in doubt; an identity that was linked in one is doubtful; whoever made one
  /// that was disowned has the password until it is changed. Where none of that is left, and it can be answered no more, there is nothing for
  /// it to say: whoever logs in so again is judged anew.
  static let isNeeded = """
    answered_at IS NULL
      AND EXISTS (SELECT 1 FROM login_alert_sessions AS begun WHERE begun.alert_id = login_alerts.alert_id)
    OR answer IS NOT 'confirm'
      AND EXISTS (SELECT 1 FROM external_identities AS identity WHERE identity.alert_id = login_alerts.alert_id)
    OR answer IS 'close' AND created_at > COALESCE(
      (SELECT password_changed_at FROM accounts AS account WHERE account.account_id = login_alerts.account_id), 0)
    """
}
