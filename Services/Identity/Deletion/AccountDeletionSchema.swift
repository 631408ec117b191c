/// The tables of account deletions. They outlive the accounts, and hold ids, counts and keyed hashes alone.
enum AccountDeletionSchema {
  static let first = """
    CREATE TABLE account_deletions (
      deletion_id BLOB NOT NULL PRIMARY KEY CHECK (length(deletion_id) = 16),
      account_id BLOB NOT NULL UNIQUE CHECK (length(account_id) = 16),
      requested_at INTEGER NOT NULL,
      -- When every service had confirmed.
      erased_at INTEGER,
      -- When the report was sent or given up, and the address forgotten.
      reported_at INTEGER,
      is_delivered INTEGER CHECK (is_delivered IN (0, 1)),
      -- When nothing was left in the files.
      finished_at INTEGER,
      CHECK ((reported_at IS NULL) = (is_delivered IS NULL)),
      CHECK (finished_at IS NULL OR erased_at IS NOT NULL AND reported_at IS NOT NULL)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX account_deletions_unfinished ON account_deletions (requested_at) WHERE finished_at IS NULL;

    CREATE TABLE account_deletion_parts (
      deletion_id BLOB NOT NULL REFERENCES account_deletions (deletion_id),
      service TEXT NOT NULL,
      counts TEXT NOT NULL CHECK (json_valid(counts)),
      confirmed_at INTEGER NOT NULL,
      PRIMARY KEY (deletion_id, service)
    ) STRICT, WITHOUT ROWID;

    -- Sessions that ended with their account: told by the snapshot for as long as their access tokens live.
    CREATE TABLE ended_sessions (
      session_id BLOB NOT NULL PRIMARY KEY CHECK (length(session_id) = 16),
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      ended_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ended_sessions_by_end ON ended_sessions (ended_at);

    -- Keyed hashes of usernames that nobody can have for a while, so that nobody is taken for who had them.
    CREATE TABLE reserved_usernames (
      username_key BLOB NOT NULL PRIMARY KEY CHECK (length(username_key) = 32),
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reserved_usernames_by_end ON reserved_usernames (until);
    """
}
