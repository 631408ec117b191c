import GRDB
import Operations
import SocialContract
import Storage

/// The read model of friendships and blocks. Social's ``RelationChanged`` feeds it, one event per side of a relation, and each read queries
/// it in its own transaction, so that a block takes effect with its event.
enum RelationStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "friends and blocks") { database in
      try database.execute(
        sql: """
          CREATE TABLE relations (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            other_account_id BLOB NOT NULL CHECK (length(other_account_id) = 16),
            is_friend INTEGER NOT NULL CHECK (is_friend IN (0, 1)),
            -- whether one of the two has blocked the other
            is_apart INTEGER NOT NULL CHECK (is_apart IN (0, 1)),
            -- One of which nothing is left stays, so that what arrives late of it has no effect.
            revision INTEGER NOT NULL,
            PRIMARY KEY (account_id, other_account_id),
            CHECK (account_id <> other_account_id)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX relations_by_other_account ON relations (other_account_id);
          CREATE INDEX relations_of_friends ON relations (account_id, other_account_id) WHERE is_friend = 1 AND is_apart = 0;
          CREATE INDEX relations_apart ON relations (account_id, other_account_id) WHERE is_apart = 1;
          """)
    }
  }

  /// Remembers that two accounts separated by a block were friends: in past months each leaves a rank empty among the other's friends.
  static func partingMigration(_ number: Int) -> Migration {
    Migration(number, "friends parted by blocks") { database in
      try database.execute(
        sql: """
          ALTER TABLE relations ADD COLUMN were_friends INTEGER NOT NULL DEFAULT 0 CHECK (were_friends IN (0, 1));
          CREATE INDEX relations_of_parted_friends ON relations (account_id, other_account_id) WHERE were_friends = 1;
          """)
    }
  }

  /// Stores a relation from social. A late event of an erased account has no effect, and nothing is stored for accounts that never were
  /// friends or separated by a block.
  static func keep(_ event: RelationChanged, _ transaction: Transaction) throws {
    let database = transaction.database
    for account in [event.accountID, event.otherAccountID] where try database.isErased(account) { return }
    try database.run(
      """
      INSERT INTO relations (account_id, other_account_id, is_friend, is_apart, revision)
      SELECT ?1, ?2, ?3, ?4, ?5
      WHERE ?3 OR ?4 OR EXISTS (SELECT 1 FROM relations WHERE account_id = ?1 AND other_account_id = ?2)
      ON CONFLICT (account_id, other_account_id) DO UPDATE
      SET were_friends = excluded.is_apart AND (relations.is_friend OR relations.were_friends), is_friend = excluded.is_friend,
        is_apart = excluded.is_apart, revision = excluded.revision
      WHERE excluded.revision > relations.revision
      """, .id(event.accountID), .id(event.otherAccountID), .truth(event.relation.isFriend), .truth(event.isApart),
      .number(event.revision))
  }

  /// Whether the two are friends, and neither has blocked the other.
  static func isFriend(_ account: AccountID, of other: AccountID, in database: Database) throws -> Bool {
    try database.first(
      "SELECT is_friend AND NOT is_apart FROM relations WHERE account_id = ? AND other_account_id = ?", .id(account), .id(other)
    ) { $0.truth(0) } ?? false
  }

  /// Whether either has blocked the other.
  static func isApart(_ account: AccountID, from other: AccountID, in database: Database) throws -> Bool {
    try database.first(
      "SELECT is_apart FROM relations WHERE account_id = ? AND other_account_id = ?", .id(account), .id(other)
    ) { $0.truth(0) } ?? false
  }

  /// An account's friends, without those separated from it by a block.
  static func friends(of account: AccountID, in database: Database) throws -> [AccountID] {
    try AccountID.fetchAll(
      database.cachedStatement(
        sql: "SELECT other_account_id FROM relations WHERE account_id = ? AND is_friend = 1 AND is_apart = 0"),
      arguments: [account])
  }
}
