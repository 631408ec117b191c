/// The table of personal access tokens.
enum PersonalAccessTokenSchema {
  static let first = """
    CREATE TABLE personal_access_tokens (
      token_id BLOB NOT NULL PRIMARY KEY CHECK (length(token_id) = 16),
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
      -- Names of scopes, a blank between.
      scopes TEXT NOT NULL CHECK (scopes <> ''),
      created_at INTEGER NOT NULL,
      -- Without one it works until it is revoked.
      expires_at INTEGER CHECK (expires_at > created_at),
      last_used_at INTEGER,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX personal_access_tokens_by_name ON personal_access_tokens (account_id, name) WHERE revoked_at IS NULL;
    CREATE INDEX personal_access_tokens_by_account ON personal_access_tokens (account_id, token_id);
    CREATE INDEX personal_access_tokens_by_expiry ON personal_access_tokens (expires_at) WHERE expires_at IS NOT NULL;
    CREATE INDEX personal_access_tokens_by_revocation ON personal_access_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
    """
}
