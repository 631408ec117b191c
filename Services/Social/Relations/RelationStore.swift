import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The revisions of the relations between accounts; the relations themselves are in the tables of friendships, follows, requests and
/// blocks.
///
/// An ended relation keeps its row, so that a subscriber that starts from the snapshot learns that it ended.
enum RelationStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "relations") { database in
      try database.execute(
        sql: """
          CREATE TABLE relations (
            low_account BLOB NOT NULL CHECK (length(low_account) = 16),
            high_account BLOB NOT NULL CHECK (length(high_account) = 16),
            changed_at INTEGER NOT NULL,
            revision INTEGER NOT NULL CHECK (revision >= 1),
            PRIMARY KEY (low_account, high_account),
            CHECK (low_account < high_account)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX relations_by_high_account ON relations (high_account);
          INSERT INTO relations (low_account, high_account, changed_at, revision)
          SELECT low_account, high_account, max(at), max(at) FROM (
            SELECT low_account, high_account, since AS at FROM friendships
            UNION ALL
            SELECT min(follower_account, followed_account), max(follower_account, followed_account), changed_at FROM follows
            UNION ALL
            SELECT min(from_account, to_account), max(from_account, to_account), sent_at FROM friend_requests WHERE state = 'pending'
            UNION ALL
            SELECT min(from_account, to_account), max(from_account, to_account), sent_at FROM follow_requests WHERE state = 'pending'
          ) GROUP BY low_account, high_account;
          """)
    }
  }

  /// Publishes the current relation between two accounts, for each of the two. Every change of the relation must call this, in its
  /// transaction.
  ///
  /// A revision is the time in milliseconds, or the last revision plus one if that is higher: so it grows even after the store was restored
  /// from an older backup.
  static func publish(_ one: AccountID, _ other: AccountID, _ transaction: Transaction) throws {
    let pair = AccountPair(one, other)
    try transaction.database.run(
      """
      INSERT INTO relations (low_account, high_account, changed_at, revision) VALUES (?1, ?2, ?3, ?3)
      ON CONFLICT (low_account, high_account) DO UPDATE
      SET changed_at = excluded.changed_at, revision = max(revision + 1, excluded.revision)
      """, .id(pair.low), .id(pair.high), .instant(transaction.now))
    let changed = try transaction.database.first(
      "\(states) WHERE r.low_account = ? AND r.high_account = ?", .id(pair.low), .id(pair.high), read: events)
    for event in changed ?? [] { try transaction.publish(event) }
  }

  /// What is between the two accounts of a row of `relations`: one look-up in each table, in both directions.
  private static let states = """
    SELECT r.low_account, r.high_account, r.changed_at, r.revision, friendship.since IS NOT NULL,
      low_friend_request.friend_request_id, low_friend_request.is_hidden, high_friend_request.friend_request_id, high_friend_request.is_hidden,
      low_follow.state IS NOT NULL, high_follow.state IS NOT NULL,
      low_follow_request.follow_request_id, low_follow_request.is_hidden, high_follow_request.follow_request_id, high_follow_request.is_hidden,
      low_block.since IS NOT NULL, high_block.since IS NOT NULL
    FROM relations r
    LEFT JOIN friendships friendship ON friendship.low_account = r.low_account AND friendship.high_account = r.high_account
    LEFT JOIN friend_requests low_friend_request ON low_friend_request.from_account = r.low_account
      AND low_friend_request.to_account = r.high_account AND low_friend_request.state = 'pending'
    LEFT JOIN friend_requests high_friend_request ON high_friend_request.from_account = r.high_account
      AND high_friend_request.to_account = r.low_account AND high_friend_request.state = 'pending'
    LEFT JOIN follows low_follow ON low_follow.follower_account = r.low_account
      AND low_follow.followed_account = r.high_account AND low_follow.state = 'accepted'
    LEFT JOIN follows high_follow ON high_follow.follower_account = r.high_account
      AND high_follow.followed_account = r.low_account AND high_follow.state = 'accepted'
    LEFT JOIN follow_requests low_follow_request ON low_follow_request.from_account = r.low_account
      AND low_follow_request.to_account = r.high_account AND low_follow_request.state = 'pending'
    LEFT JOIN follow_requests high_follow_request ON high_follow_request.from_account = r.high_account
      AND high_follow_request.to_account = r.low_account AND high_follow_request.state = 'pending'
    LEFT JOIN blocks low_block ON low_block.blocker_account = r.low_account AND low_block.blocked_account = r.high_account
    LEFT JOIN blocks high_block ON high_block.blocker_account = r.high_account AND high_block.blocked_account = r.low_account
    """

  /// The relation as each of the two sees it, from a row of ``states``. A request that is hidden from its recipient shows only to its
  /// sender.
  private static func events(_ row: Columns) throws -> [RelationChanged] {
    let (low, high): (AccountID, AccountID) = (try row.id(0), try row.id(1))
    let (at, revision, isFriend) = (row.instant(2), row.number(3), row.truth(4))
    let friendRequests: [ID<FriendRequest>?] = [try row.optionalID(5), try row.optionalID(7)]
    let followRequests: [ID<FollowRequest>?] = [try row.optionalID(11), try row.optionalID(13)]
    let seenFriendRequests = [row.truth(6) ? nil : friendRequests[0], row.truth(8) ? nil : friendRequests[1]]
    let seenFollowRequests = [row.truth(12) ? nil : followRequests[0], row.truth(14) ? nil : followRequests[1]]
    let (follows, blocks) = ([row.truth(9), row.truth(10)], [row.truth(15), row.truth(16)])
    return [(low, high), (high, low)].enumerated().map { own, accounts in
      let other = 1 - own
      let (sent, received) = (friendRequests[own], seenFriendRequests[other])
      return RelationChanged(
        accountID: accounts.0, otherAccountID: accounts.1,
        relation: Relation(
          isFriend: isFriend, friendRequest: received != nil ? .received : sent != nil ? .sent : nil,
          friendRequestID: received ?? sent, follows: follows[own], isFollowedBy: follows[other],
          followRequestSentID: followRequests[own], followRequestReceivedID: seenFollowRequests[other], isBlocked: blocks[own]),
        isBlockedByOther: blocks[other], revision: revision, at: at)
    }
  }

  /// The ends of the first relations of an account that is deleted, for those on the other side; see `ErasedTable.Ends`.
  @Sendable
  static func ended(with account: AccountID, limit: Int, _ transaction: Transaction) throws -> [any Event] {
    let rows = try Row.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          SELECT iif(low_account = ?1, high_account, low_account) AS other, revision FROM relations
          WHERE low_account = ?1 OR high_account = ?1 ORDER BY +low_account, +high_account LIMIT ?2
          """), arguments: [account, limit])
    return rows.map { row in
      RelationChanged(
        accountID: row["other"], otherAccountID: account, relation: Relation(), isBlockedByOther: false,
        revision: max(row["revision"] + 1, Int(transaction.now.milliseconds)), at: transaction.now)
    }
  }

  /// All relations as events, after the key `<account>/<account>`; see `SnapshotParts`. Those that ended are published too.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = try key?.split(at: "/").map { try AccountID(text: String($0)) } ?? []
    var pairs: [[RelationChanged]] = []
    try database.each(
      "\(states) WHERE (r.low_account, r.high_account) > (?, ?) ORDER BY r.low_account, r.high_account LIMIT ?",
      .id(pieces.first ?? .placeholder), .id(pieces.last ?? .placeholder), .number(SnapshotParts.pageSize)
    ) { row in
      pairs.append(try events(row))
      return true
    }
    return SnapshotParts.page(pairs.flatMap { $0 }, of: pairs) { "\($0[0].accountID)/\($0[0].otherAccountID)" }
  }
}
