/// The table of links to public profiles.
enum PublicLinkSchema {
  static let first = """
    -- An account has one link at most. As with mailed links its key is derived, and kept nowhere.
    CREATE TABLE public_links (
      account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
      link_id BLOB NOT NULL UNIQUE CHECK (length(link_id) = 16),
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
