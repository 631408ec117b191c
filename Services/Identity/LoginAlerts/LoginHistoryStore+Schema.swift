extension LoginHistoryStore {
  /// What is known of an account's logins: among the tables of ``LoginAlertStore/migration(_:)``.
  static let tables = """
    -- A keyed hash of the account and its client's user agent.
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

    """
}
