import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// An account that a search has found.
struct DirectoryHit: Sendable {
  let entry: DirectoryEntry
  /// The cursor after this hit.
  let position: DirectoryPosition
}

/// The cursor of a search: the position after a hit.
struct DirectoryPosition: Sendable, Hashable, CustomStringConvertible {
  let rank: DirectoryNames.Rank
  let suffix: String
  let number: Int64
  let offset: Int

  init(rank: DirectoryNames.Rank, suffix: String, number: Int64, offset: Int) {
    self.rank = rank
    self.suffix = suffix
    self.number = number
    self.offset = offset
  }

  /// Before the first hit of a search.
  static func start(_ key: String) -> DirectoryPosition {
    DirectoryPosition(rank: .name, suffix: key, number: -1, offset: -1)
  }

  /// Reads its description.
  init(text: String) throws(FieldRule) {
    let parts = text.split(at: "/", maxSplits: 3)
    guard parts.count == 4, let rank = Int(parts[0]).flatMap(DirectoryNames.Rank.init(rawValue:)), let number = Int64(parts[1]),
      let offset = Int(parts[2])
    else { throw PageCursor.invalid }
    self.init(rank: rank, suffix: String(parts[3]), number: number, offset: offset)
  }

  var description: String { "\(rank.rawValue)/\(number)/\(offset)/\(suffix)" }
}

/// The index of the names under which accounts are found.
///
/// It has tables of its own because the trigrams of FTS5 cannot find two characters, and do not know where a name or a word begins.
enum DirectoryStore {
  /// Who is not to be found is not in them.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "directory") { database in
      try database.execute(
        sql: """
          CREATE TABLE directory_entries (
            number INTEGER NOT NULL PRIMARY KEY,
            account_id BLOB NOT NULL UNIQUE REFERENCES accounts (account_id) ON DELETE CASCADE,
            -- The username, a line break, the nickname if there is one: folded, as they are compared with what somebody looks for.
            names TEXT NOT NULL
          ) STRICT;

          -- Each position in an entry's names with the characters that follow there. So a part of a name is looked up as a beginning is: by a
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
          """)
    }
  }

  /// The table's own name and those of its columns are the usual ones: an index of suffixes.
  static func suffixMigration(_ number: Int) -> Migration {
    Migration(number, "suffixes of the directory's names") { database in
      try database.execute(
        sql: """
          ALTER TABLE directory_places RENAME TO directory_suffixes;
          ALTER TABLE directory_suffixes RENAME COLUMN beginning TO suffix;
          ALTER TABLE directory_suffixes RENAME COLUMN place TO offset;
          DROP INDEX directory_places_by_entry;
          CREATE INDEX directory_suffixes_by_entry ON directory_suffixes (number);
          """)
    }
  }

  /// The query for the positions of one rank that begin with the text, without the accounts that the searcher (`?6`) may not see at that
  /// time (`?7`).
  static let searchSQL = """
    SELECT suffix, number, offset, accounts.account_id, names, username, nickname, photo_tag, \(RelationStore.columns)
    FROM directory_suffixes JOIN directory_entries USING (number) JOIN accounts USING (account_id)
    LEFT JOIN relations ON relations.account_id = ?6 AND relations.other_account_id = accounts.account_id
    WHERE rank = ?1 AND (suffix, number, offset) > (?2, ?3, ?4) AND suffix < ?5
      AND \(RelationStore.isOpen) AND (suspended_until IS NULL OR suspended_until <= ?7)
    ORDER BY suffix, number, offset
    """

  /// The accounts that a search finds, each once, after the given position and without the searcher.
  ///
  /// The query stops at the last requested hit. It skips only further positions of accounts that are already hits, and the few accounts
  /// that are suspended for a time or blocked: so a page takes as long among a hundred thousand accounts as among a hundred.
  static func search(
    _ search: DirectoryText, behind position: DirectoryPosition, limit: Int, for searcher: AccountID, now: Instant,
    in database: Database
  ) throws -> [DirectoryHit] {
    let key = DirectoryNames.key(search.scalars)
    var hits: [DirectoryHit] = []
    for rank in DirectoryNames.Rank.allCases where rank >= position.rank {
      // All who are listed have a name that begins somehow.
      if search.scalars.isEmpty, rank != .name { break }
      let start = rank == position.rank ? position : .start(key)
      let rows = try Row.fetchCursor(
        database.cachedStatement(sql: DirectoryStore.searchSQL),
        arguments: [rank.rawValue, start.suffix, start.number, start.offset, key + "\u{10FFFF}", searcher, now])
      while hits.count < limit, let row = try rows.next() {
        let offset: Int = row["offset"]
        // Of an account's positions that match only the first is shown.
        guard row["account_id"] as AccountID != searcher,
          let first = DirectoryNames(text: row["names"]).first(search), first.rank == rank, first.offset == offset
        else { continue }
        hits.append(
          DirectoryHit(
            entry: DirectoryEntry(
              accountID: row["account_id"], username: row["username"], nickname: row["nickname"],
              photoURL: row.photoURL(of: "account_id"), relation: KnownRelation(row).relation),
            position: DirectoryPosition(rank: rank, suffix: row["suffix"], number: row["number"], offset: offset)))
      }
      if hits.count == limit { break }
    }
    return hits
  }

  /// Updates the account's directory entry, or removes it. An account that is suspended for a time keeps its entry, which searches skip
  /// until the suspension ends; a banned one has none.
  static func update(_ account: AccountRecord, _ transaction: Transaction) throws {
    let isShown =
      account.directoryVisibility == .listed && account.verifiedAt != nil && account.suspendedUntil != .endOfTime
    let names = isShown ? DirectoryNames(account.username, account.nickname) : nil
    let row = try Row.fetchOne(
      transaction.database.cachedStatement(sql: "SELECT number, names FROM directory_entries WHERE account_id = ?"),
      arguments: [account.id])
    guard row?["names"] as String? != names?.text else { return }
    if row != nil {
      try transaction.database.cachedStatement(sql: "DELETE FROM directory_entries WHERE account_id = ?")
        .execute(arguments: [account.id])
    }
    guard let names else { return }
    try transaction.database.cachedStatement(sql: "INSERT INTO directory_entries (account_id, names) VALUES (?, ?)")
      .execute(arguments: [account.id, names.text])
    let number = transaction.database.lastInsertedRowID
    let insert = try transaction.database.cachedStatement(
      sql: "INSERT INTO directory_suffixes (rank, suffix, number, offset) VALUES (?, ?, ?, ?)")
    for suffix in names.suffixes {
      try insert.execute(arguments: [suffix.rank.rawValue, suffix.key, number, suffix.offset])
    }
  }
}
