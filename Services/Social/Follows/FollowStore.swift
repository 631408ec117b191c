public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension FollowChanged.State: DatabaseValueConvertible {}

/// The follows. An ended one keeps its row, so that a subscriber that starts from the snapshot learns that it ended.
enum FollowStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "follows") { database in
      try database.execute(
        sql: """
          CREATE TABLE follows (
            follower_account BLOB NOT NULL CHECK (length(follower_account) = 16),
            followed_account BLOB NOT NULL CHECK (length(followed_account) = 16),
            state TEXT NOT NULL CHECK (state IN ('accepted', 'ended')),
            changed_at INTEGER NOT NULL,
            revision INTEGER NOT NULL CHECK (revision >= 1),
            PRIMARY KEY (follower_account, followed_account),
            CHECK (follower_account <> followed_account)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX follows_by_followed ON follows (followed_account);
          """)
    }
  }

  /// Followers in the order of their names, without sorting all of them: anybody can have any number. ``NameChangeStore`` follows new
  /// names.
  static func nameMigration(_ number: Int) -> Migration {
    Migration(number, "followers by name") { database in
      try database.execute(
        sql: """
          -- Each follow, by the follower's username.
          CREATE TABLE follower_names (
            followed_account BLOB NOT NULL,
            username TEXT NOT NULL,
            follower_account BLOB NOT NULL,
            PRIMARY KEY (followed_account, username, follower_account),
            FOREIGN KEY (follower_account, followed_account) REFERENCES follows ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX follower_names_by_follower ON follower_names (follower_account, followed_account);
          INSERT INTO follower_names
            SELECT f.followed_account, a.username, f.follower_account
            FROM follows f JOIN accounts a ON a.account_id = f.follower_account WHERE f.state = 'accepted';
          CREATE TRIGGER follower_names_added AFTER INSERT ON follows WHEN new.state = 'accepted' BEGIN
            INSERT INTO follower_names
              SELECT new.followed_account, username, new.follower_account
              FROM accounts WHERE account_id = new.follower_account;
          END;
          CREATE TRIGGER follower_names_begun AFTER UPDATE OF state ON follows
          WHEN new.state = 'accepted' AND old.state <> 'accepted' BEGIN
            INSERT INTO follower_names
              SELECT new.followed_account, username, new.follower_account
              FROM accounts WHERE account_id = new.follower_account;
          END;
          CREATE TRIGGER follower_names_ended AFTER UPDATE OF state ON follows WHEN new.state <> 'accepted' BEGIN
            DELETE FROM follower_names
            WHERE follower_account = new.follower_account AND followed_account = new.followed_account;
          END;
          CREATE TRIGGER follower_names_changed AFTER UPDATE OF username ON accounts WHEN new.username <> old.username BEGIN
            UPDATE follower_names SET username = new.username WHERE follower_account = new.account_id;
          END;
          """)
    }
  }

  /// Whether an account follows another. A deleted account has no followers, even if the row still exists.
  static func follows(_ follower: AccountID, _ followed: AccountID, in database: Database) throws -> Bool {
    if try database.isErased(followed) { return false }
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM follows WHERE follower_account = ? AND followed_account = ? AND state = 'accepted'")
    return try Row.fetchOne(statement, arguments: [follower, followed]) != nil
  }

  /// Begins or ends a follow, and publishes it.
  ///
  /// A revision is the time in milliseconds, or the last revision plus one if that is higher: so it grows even after the store was restored
  /// from an older backup.
  static func change(
    _ follower: AccountID, follows followed: AccountID, _ state: FollowChanged.State, _ transaction: Transaction
  ) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO follows (follower_account, followed_account, state, changed_at, revision) VALUES (?1, ?2, ?3, ?4, ?4)
        ON CONFLICT (follower_account, followed_account) DO UPDATE
        SET state = excluded.state, changed_at = excluded.changed_at, revision = max(revision + 1, excluded.revision)
        RETURNING *
        """)
    guard let row = try Row.fetchOne(statement, arguments: [follower, followed, state, transaction.now]) else { return }
    try transaction.publish(FollowChanged(row))
  }

  /// Ends that two follow each other, of whom one blocks the other; see ``BlockClosing``.
  @Sendable
  static func close(_ blocker: AccountID, _ blocked: AccountID, _ transaction: Transaction) throws {
    for (follower, followed) in [(blocker, blocked), (blocked, blocker)] {
      guard try follows(follower, followed, in: transaction.database) else { continue }
      try change(follower, follows: followed, .ended, transaction)
    }
  }

  /// Which side of a following is looked for.
  enum Side {
    /// Those whom the account follows.
    case followed
    /// Those who follow the account.
    case followers
  }

  /// A page of the accounts on one side, with their present names. Whom one follows are a thousand at most; followers are found by a walk
  /// along an index, in the order of the names in `follower_names`.
  static func listSQL(_ side: Side) -> String {
    let columns = "a.account_id, a.username, a.nickname, \(ShownPersonStore.photoTag(of: "a.account_id")), f.changed_at"
    return switch side {
    case .followed:
      """
      SELECT \(columns), a.username AS place FROM follows f JOIN accounts a ON a.account_id = f.followed_account
      WHERE f.follower_account = :account AND f.state = 'accepted' AND (a.username, a.account_id) > (:after, :last)
      ORDER BY a.username, a.account_id LIMIT :limit
      """
    case .followers:
      """
      SELECT \(columns), n.username AS place
      FROM follower_names n CROSS JOIN follows f USING (follower_account, followed_account)
      JOIN accounts a ON a.account_id = n.follower_account
      WHERE n.followed_account = :account AND (n.username, n.follower_account) > (:after, :last)
      ORDER BY n.username, n.follower_account LIMIT :limit
      """
    }
  }

  /// The accounts on one side, by username.
  static func list(_ side: Side, of account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<Follow> {
    let after = try page.cursor(NamePlace.init(text:)) ?? .start
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: listSQL(side)),
      arguments: ["account": account, "after": after.username, "last": after.account, "limit": page.fetchLimit])
    return page.page(of: rows, key: { NamePlace(username: $0["place"], account: $0["account_id"]) }) { row in
      Follow(
        accountID: row["account_id"], username: row["username"], nickname: row["nickname"],
        photoURL: row.photoURL(of: "account_id"), since: row["changed_at"])
    }
  }

  /// The ends of the first follows of an account that is deleted, for the subscribers that keep follows; see `ErasedTable.Ends`.
  @Sendable
  static func ended(with account: AccountID, limit: Int, _ transaction: Transaction) throws -> [any Event] {
    let rows = try Row.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          SELECT * FROM follows WHERE follower_account = ?1 OR followed_account = ?1
          ORDER BY +follower_account, +followed_account LIMIT ?2
          """), arguments: [account, limit])
    return rows.filter { $0["state"] == FollowChanged.State.accepted }.map { row in
      var change = FollowChanged(row)
      change.state = .ended
      change.revision = max(change.revision + 1, Int(transaction.now.milliseconds))
      change.at = transaction.now
      return change
    }
  }

  /// All follows as events, after the key `<follower>/<followed>`; see `SnapshotParts`. Those that ended are published too.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = try key?.split(at: "/").map { try AccountID(text: String($0)) } ?? []
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT * FROM follows WHERE (follower_account, followed_account) > (?, ?)
        ORDER BY follower_account, followed_account LIMIT ?
        """, arguments: [pieces.first ?? .placeholder, pieces.last ?? .placeholder, SnapshotParts.pageSize])
    let events = rows.map(FollowChanged.init)
    return SnapshotParts.page(events, of: events) { "\($0.followerAccountID)/\($0.followedAccountID)" }
  }
}

extension FollowChanged {
  fileprivate init(_ row: Row) {
    self.init(
      followerAccountID: row["follower_account"], followedAccountID: row["followed_account"], state: row["state"],
      revision: row["revision"], at: row["changed_at"])
  }
}
