import GRDB

/// The table of incidents, and what finds and lists security events.
enum IncidentSchema {
  static let first = """
    CREATE TABLE incidents (
      incident_id BLOB NOT NULL PRIMARY KEY CHECK (length(incident_id) = 16),
      pattern TEXT NOT NULL,
      -- What the events have in common: an account, a keyed hash of what was typed for one, an address.
      subject TEXT NOT NULL,
      severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
      account_id BLOB REFERENCES accounts (account_id) ON DELETE SET NULL,
      address TEXT,
      count INTEGER NOT NULL CHECK (count > 0),
      first_at INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      owner_told_at INTEGER,
      administrators_told_at INTEGER,
      closed_at INTEGER,
      closed_by BLOB CHECK (length(closed_by) = 16),
      comment TEXT
    ) STRICT, WITHOUT ROWID;
    -- One of a pattern and subject while it lasts.
    CREATE UNIQUE INDEX incidents_open ON incidents (pattern, subject) WHERE closed_at IS NULL;
    CREATE INDEX incidents_by_time ON incidents (last_at);
    CREATE INDEX incidents_by_telling ON incidents (administrators_told_at) WHERE administrators_told_at IS NOT NULL;
    CREATE INDEX incidents_by_account ON incidents (account_id) WHERE account_id IS NOT NULL;

    CREATE INDEX security_events_by_address ON security_events (address, at);
    """

  /// What is looked through for each of them: its kind is named in the query, or the index is not taken.
  static let proofs = """
    CREATE INDEX security_events_of_proofs ON security_events (at) WHERE kind = 'externalProofRefused';
    """

  /// With those that are nobody's, so that a login that is an account's and one that is not write as many pages.
  static let ofNobody = """
    DROP INDEX incidents_by_account;
    CREATE INDEX incidents_by_account ON incidents (account_id);
    """

  /// Events of one subscriber count together, who has 2^64 IPv6 addresses: see ``SecurityEvent/subscriber(_:)``.
  static func addSubscribers(_ database: Database) throws {
    try database.execute(sql: "ALTER TABLE security_events ADD COLUMN subscriber BLOB")
    let addresses = try String.fetchAll(
      database, sql: "SELECT DISTINCT address FROM security_events WHERE address IS NOT NULL")
    for address in addresses {
      try database.execute(
        sql: "UPDATE security_events SET subscriber = ? WHERE address = ?",
        arguments: [SecurityEvent.subscriber(address), address])
    }
    try database.execute(
      sql: """
        DROP INDEX security_events_by_address;
        CREATE INDEX security_events_by_subscriber ON security_events (subscriber, at) WHERE subscriber IS NOT NULL;
        """)
  }
}
