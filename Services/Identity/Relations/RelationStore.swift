import GRDB
import Operations
import SocialContract
import Storage

/// The read model of relations. It is fed by social's ``RelationChanged``, guarded by its revision, and read in the transaction of each
/// query, so that a block takes effect with its event.
///
/// What it lacks is not fetched: a relation takes an action of one of the two, and the other account learns of it no sooner than this
/// service does.
enum RelationStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "relations between accounts") { database in
      try database.execute(
        sql: """
          CREATE TABLE relations (
            -- As this account sees it.
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            other_account_id BLOB NOT NULL CHECK (length(other_account_id) = 16),
            is_friend INTEGER NOT NULL CHECK (is_friend IN (0, 1)),
            friend_request TEXT CHECK (friend_request IN ('received', 'sent')),
            friend_request_id BLOB CHECK (length(friend_request_id) = 16),
            follows INTEGER NOT NULL CHECK (follows IN (0, 1)),
            is_followed_by INTEGER NOT NULL CHECK (is_followed_by IN (0, 1)),
            follow_request_sent_id BLOB CHECK (length(follow_request_sent_id) = 16),
            follow_request_received_id BLOB CHECK (length(follow_request_received_id) = 16),
            is_blocked INTEGER NOT NULL CHECK (is_blocked IN (0, 1)),
            is_blocked_by_other INTEGER NOT NULL CHECK (is_blocked_by_other IN (0, 1)),
            -- One of which nothing is left stays, so that what arrives late of it has no effect.
            revision INTEGER NOT NULL,
            PRIMARY KEY (account_id, other_account_id),
            CHECK (account_id <> other_account_id)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX relations_by_other_account ON relations (other_account_id);
          """)
    }
  }

  /// What ``KnownRelation`` is read from.
  static let columns = """
    is_friend, friend_request, friend_request_id, follows, is_followed_by, follow_request_sent_id, follow_request_received_id,
    is_blocked, is_blocked_by_other
    """

  /// Whether the two accounts of a row of `relations` may see each other, in SQL; also true where there is no row.
  static let isOpen = "(relations.is_blocked OR relations.is_blocked_by_other) IS NOT 1"

  /// Stores a published relation. A late event about an erased account has no effect.
  static func keep(_ event: RelationChanged, _ transaction: Transaction) throws {
    for account in [event.accountID, event.otherAccountID] where try transaction.database.isErased(account) { return }
    let relation = event.relation
    try transaction.database.run(
      """
      INSERT INTO relations (account_id, other_account_id, \(columns), revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (account_id, other_account_id) DO UPDATE
      SET is_friend = excluded.is_friend, friend_request = excluded.friend_request,
        friend_request_id = excluded.friend_request_id, follows = excluded.follows, is_followed_by = excluded.is_followed_by,
        follow_request_sent_id = excluded.follow_request_sent_id,
        follow_request_received_id = excluded.follow_request_received_id, is_blocked = excluded.is_blocked,
        is_blocked_by_other = excluded.is_blocked_by_other, revision = excluded.revision
      WHERE excluded.revision > relations.revision
      """, .id(event.accountID), .id(event.otherAccountID), .truth(relation.isFriend), .text(relation.friendRequest?.rawValue),
      .id(relation.friendRequestID), .truth(relation.follows), .truth(relation.isFollowedBy),
      .id(relation.followRequestSentID), .id(relation.followRequestReceivedID), .truth(relation.isBlocked),
      .truth(event.isBlockedByOther), .number(event.revision))
  }

  /// What is between an account and another, as the first one sees it.
  static func find(of account: AccountID, to other: AccountID, in database: Database) throws -> KnownRelation {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT \(columns) FROM relations WHERE account_id = ? AND other_account_id = ?"),
      arguments: [account, other]
    ).map(KnownRelation.init) ?? KnownRelation()
  }
}
