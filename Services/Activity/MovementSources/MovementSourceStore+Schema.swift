extension MovementSourceStore {
  /// As ``MovementSampleStore/migration(_:)`` makes it, of the sources of steps.
  static let table = """
    CREATE TABLE movement_sources (
      account_number INTEGER NOT NULL REFERENCES movement_accounts,
      -- counts within the account
      source_number INTEGER NOT NULL,
      -- '' where the sample names none
      source TEXT NOT NULL,
      device TEXT NOT NULL,
      is_hand_typed INTEGER NOT NULL CHECK (is_hand_typed IN (0, 1)),
      -- its place where the account chose one
      position INTEGER,
      PRIMARY KEY (account_number, source_number),
      UNIQUE (account_number, source, device, is_hand_typed)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO movement_sources SELECT account_number, source_id, source, device, 0, NULL FROM step_sources;
    """
}
