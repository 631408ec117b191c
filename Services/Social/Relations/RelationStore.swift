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
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO relations (low_account, high_account, changed_at, revision) VALUES (?1, ?2, ?3, ?3)
        ON CONFLICT (low_account, high_account) DO UPDATE
        SET changed_at = excluded.changed_at, revision = max(revision + 1, excluded.revision)
        RETURNING revision
        """)
    let revision = try Int.fetchOne(statement, arguments: [pair.low, pair.high, transaction.now]) ?? 1
    for event in try events(pair, revision, at: transaction.now, in: transaction.database) { try transaction.publish(event) }
  }

  /// What is between an account and another, as the first one sees it.
  static func relation(of account: AccountID, to other: AccountID, in database: Database) throws -> Relation {
    let statement = try database.cachedStatement(
      sql: """
        SELECT
          EXISTS (SELECT 1 FROM friendships WHERE low_account = min(:account, :other) AND high_account = max(:account, :other))
            AS is_friend,
          (SELECT friend_request_id FROM friend_requests WHERE from_account = :account AND to_account = :other AND state = 'pending')
            AS friend_request_sent,
          (SELECT friend_request_id FROM friend_requests WHERE from_account = :other AND to_account = :account AND state = 'pending'
            AND is_hidden = 0) AS friend_request_received,
          EXISTS (SELECT 1 FROM follows WHERE follower_account = :account AND followed_account = :other AND state = 'accepted')
            AS follows,
          EXISTS (SELECT 1 FROM follows WHERE follower_account = :other AND followed_account = :account AND state = 'accepted')
            AS is_followed_by,
          (SELECT follow_request_id FROM follow_requests WHERE from_account = :account AND to_account = :other AND state = 'pending')
            AS follow_request_sent,
          (SELECT follow_request_id FROM follow_requests WHERE from_account = :other AND to_account = :account AND state = 'pending'
            AND is_hidden = 0) AS follow_request_received,
          EXISTS (SELECT 1 FROM blocks WHERE blocker_account = :account AND blocked_account = :other) AS is_blocked
        """)
    guard let row = try Row.fetchOne(statement, arguments: ["account": account, "other": other]) else { return Relation() }
    let (sent, received): (ID<FriendRequest>?, ID<FriendRequest>?) = (row["friend_request_sent"], row["friend_request_received"])
    return Relation(
      isFriend: row["is_friend"], friendRequest: received != nil ? .received : sent != nil ? .sent : nil,
      friendRequestID: received ?? sent, follows: row["follows"], isFollowedBy: row["is_followed_by"],
      followRequestSentID: row["follow_request_sent"], followRequestReceivedID: row["follow_request_received"],
      isBlocked: row["is_blocked"])
  }

  /// The relation of each of the two.
  private static func events(
    _ pair: AccountPair, _ revision: Int, at: Instant, in database: Database
  ) throws -> [RelationChanged] {
    let low = try relation(of: pair.low, to: pair.high, in: database)
    let high = try relation(of: pair.high, to: pair.low, in: database)
    return [
      RelationChanged(
        accountID: pair.low, otherAccountID: pair.high, relation: low, isBlockedByOther: high.isBlocked, revision: revision,
        at: at),
      RelationChanged(
        accountID: pair.high, otherAccountID: pair.low, relation: high, isBlockedByOther: low.isBlocked, revision: revision,
        at: at),
    ]
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
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT * FROM relations WHERE (low_account, high_account) > (?, ?) ORDER BY low_account, high_account LIMIT ?
        """, arguments: [pieces.first ?? .placeholder, pieces.last ?? .placeholder, SnapshotParts.pageSize])
    let all = try rows.flatMap { row in
      try events(AccountPair(row["low_account"], row["high_account"]), row["revision"], at: row["changed_at"], in: database)
    }
    return SnapshotParts.page(all, of: rows) { row in
      "\(row["low_account"] as AccountID)/\(row["high_account"] as AccountID)"
    }
  }
}
