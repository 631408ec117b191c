/// The table of changes of e-mail addresses.
enum EmailChangeSchema {
  static let first = """
    -- A change of an address, and its mailed link. As with verification links, the token is kept nowhere.
    CREATE TABLE email_changes (
      change_id BLOB NOT NULL PRIMARY KEY CHECK (length(change_id) = 16),
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      -- The new address.
      email TEXT NOT NULL,
      email_normalized TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      replaced_at INTEGER,
      used_at INTEGER,
      -- The address that the account had until then, for the notice.
      former_email TEXT,
      CHECK ((used_at IS NULL) = (former_email IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX email_changes_by_account ON email_changes (account_id, created_at);
    CREATE INDEX email_changes_by_email ON email_changes (email_normalized, created_at);
    CREATE INDEX email_changes_by_expiry ON email_changes (expires_at);
    """

  static let undoing = """
    ALTER TABLE email_changes ADD COLUMN former_normalized TEXT;
    ALTER TABLE email_changes ADD COLUMN undone_at INTEGER;
    CREATE INDEX email_changes_by_former_email ON email_changes (former_normalized) WHERE former_normalized IS NOT NULL;
    """
}
