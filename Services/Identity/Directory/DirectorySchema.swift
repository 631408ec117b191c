/// The tables of the directory.
///
/// They are tables of our own because the trigrams of FTS5 cannot find two characters and do not know where a name or a word begins.
enum DirectorySchema {
  /// Who is not to be found is not in them.
  static let first = """
    CREATE TABLE directory_entries (
      number INTEGER NOT NULL PRIMARY KEY,
      account_id BLOB NOT NULL UNIQUE REFERENCES accounts (account_id) ON DELETE CASCADE,
      -- The username, a line break, the nickname if there is one: folded, as they are compared with what somebody looks for.
      names TEXT NOT NULL
    ) STRICT;

    -- Each place of an entry's names with the characters that follow there. So a part of a name is looked up as a beginning is: by a
    -- stretch of the key, in the order in which it is shown.
    CREATE TABLE directory_places (
      -- 0: a name begins there, 1: a word does, 2: neither.
      rank INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 2),
      beginning TEXT NOT NULL,
      number INTEGER NOT NULL REFERENCES directory_entries (number) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      PRIMARY KEY (rank, beginning, number, place)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX directory_places_by_entry ON directory_places (number);
    """
}
