import GRDB
import Operations
import SocialContract
import Storage

/// The read model of blocks between pairs of accounts. It is fed by social's ``RelationChanged``, where each event is one account's side of
/// a pair.
enum BlockStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "blocks") { database in
      try database.execute(
        sql: """
          CREATE TABLE blocks (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            other_account BLOB NOT NULL CHECK (length(other_account) = 16),
            -- A block that ended stays, so that an event of it that comes late has no effect.
            is_apart INTEGER NOT NULL CHECK (is_apart IN (0, 1)),
            revision INTEGER NOT NULL,
            PRIMARY KEY (account_id, other_account)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX blocks_by_other ON blocks (other_account);
          """)
    }
  }

  /// Stores what social publishes; false where it changes nothing, such as a late event about an erased account. Pairs without any block
  /// are not stored.
  static func keep(_ event: RelationChanged, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    for account in [event.accountID, event.otherAccountID] where try database.isErased(account) { return false }
    try database.run(
      """
      INSERT INTO blocks (account_id, other_account, is_apart, revision)
      SELECT ?1, ?2, ?3, ?4 WHERE ?3 OR EXISTS (SELECT 1 FROM blocks WHERE account_id = ?1 AND other_account = ?2)
      ON CONFLICT (account_id, other_account) DO UPDATE
      SET is_apart = excluded.is_apart, revision = excluded.revision WHERE excluded.revision > blocks.revision
      """, .id(event.accountID), .id(event.otherAccountID), .truth(event.isApart), .number(event.revision))
    return database.changesCount > 0
  }

  /// Whether the account and any of the others are apart.
  static func isApart(_ account: AccountID, fromAnyOf others: Set<AccountID>, in database: Database) throws -> Bool {
    try others.contains {
      let sql = "SELECT is_apart FROM blocks WHERE account_id = ? AND other_account = ?"
      return try database.first(sql, .id(account), .id($0)) { $0.truth(0) } ?? false
    }
  }
}
