/// The table of secrets that have to be read back (ID-16).
enum SecretSchema {
  static let first = """
    -- Ciphertexts; their keys are outside the store.
    CREATE TABLE secrets (
      kind TEXT NOT NULL,
      -- An account, or what else the kind is about.
      owner BLOB NOT NULL CHECK (length(owner) = 16),
      sealed BLOB NOT NULL,
      written_at INTEGER NOT NULL,
      PRIMARY KEY (kind, owner)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX secrets_by_owner ON secrets (owner);
    """
}
