import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The friendships: one row for each two friends.
enum FriendStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "friendships") { database in
      try database.execute(
        sql: """
          CREATE TABLE friendships (
            low_account BLOB NOT NULL CHECK (length(low_account) = 16),
            high_account BLOB NOT NULL CHECK (length(high_account) = 16),
            since INTEGER NOT NULL,
            PRIMARY KEY (low_account, high_account),
            CHECK (low_account < high_account)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX friendships_by_high_account ON friendships (high_account);
          """)
    }
  }

  /// Friends in the order of their names, without sorting all of them; ``NameChangeStore`` follows new names.
  static func nameMigration(_ number: Int) -> Migration {
    Migration(number, "friends by name") { database in
      try database.execute(
        sql: """
          -- Each friendship, once for each of the two accounts, by the other's username.
          CREATE TABLE friend_names (
            account_id BLOB NOT NULL CHECK (account_id IN (low_account, high_account)),
            username TEXT NOT NULL,
            low_account BLOB NOT NULL,
            high_account BLOB NOT NULL,
            PRIMARY KEY (account_id, username, low_account, high_account),
            FOREIGN KEY (low_account, high_account) REFERENCES friendships ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX friend_names_by_friendship ON friend_names (low_account, high_account);
          INSERT INTO friend_names
            SELECT f.low_account, a.username, f.low_account, f.high_account
            FROM friendships f JOIN accounts a ON a.account_id = f.high_account;
          INSERT INTO friend_names
            SELECT f.high_account, a.username, f.low_account, f.high_account
            FROM friendships f JOIN accounts a ON a.account_id = f.low_account;
          CREATE TRIGGER friend_names_added AFTER INSERT ON friendships BEGIN
            INSERT INTO friend_names
              SELECT new.low_account, username, new.low_account, new.high_account
              FROM accounts WHERE account_id = new.high_account;
            INSERT INTO friend_names
              SELECT new.high_account, username, new.low_account, new.high_account
              FROM accounts WHERE account_id = new.low_account;
          END;
          CREATE TRIGGER friend_names_changed AFTER UPDATE OF username ON accounts WHEN new.username <> old.username BEGIN
            UPDATE friend_names SET username = new.username
            WHERE account_id <> new.account_id AND (low_account, high_account) IN (
              SELECT low_account, high_account FROM friendships WHERE low_account = new.account_id
              UNION ALL SELECT low_account, high_account FROM friendships WHERE high_account = new.account_id);
          END;
          """)
    }
  }

  /// Whether two accounts are friends. A deleted account has no friends, even if the row still exists.
  static func areFriends(_ one: AccountID, _ other: AccountID, in database: Database) throws -> Bool {
    if try database.isErased(other) { return false }
    let pair = AccountPair(one, other)
    let statement = try database.cachedStatement(sql: "SELECT 1 FROM friendships WHERE low_account = ? AND high_account = ?")
    return try Row.fetchOne(statement, arguments: [pair.low, pair.high]) != nil
  }

  /// Makes two accounts friends.
  static func add(_ one: AccountID, _ other: AccountID, _ transaction: Transaction) throws {
    let pair = AccountPair(one, other)
    let statement = try transaction.database.cachedStatement(
      sql: "INSERT INTO friendships (low_account, high_account, since) VALUES (?, ?, ?)")
    try statement.execute(arguments: [pair.low, pair.high, transaction.now])
  }

  /// Ends a friendship, and with it all challenges between the two; false if there was none.
  static func remove(_ one: AccountID, _ other: AccountID, _ transaction: Transaction) throws -> Bool {
    let pair = AccountPair(one, other)
    let statement = try transaction.database.cachedStatement(
      sql: "DELETE FROM friendships WHERE low_account = ? AND high_account = ?")
    try statement.execute(arguments: [pair.low, pair.high])
    guard transaction.database.changesCount > 0 else { return false }
    try FriendChallengeStore.end(between: one, and: other, transaction)
    return true
  }

  /// Ends the friendship of two of whom one blocks the other; see ``BlockClosing``.
  @Sendable
  static func close(_ blocker: AccountID, _ blocked: AccountID, _ transaction: Transaction) throws {
    _ = try remove(blocker, blocked, transaction)
  }

  /// A page of an account's friends, with their present names, in the order of those in `friend_names`.
  static let listSQL = """
    SELECT a.account_id, a.username, a.nickname, \(ShownPersonStore.photoTag(of: "a.account_id")), f.since, n.username AS place
    FROM friend_names n CROSS JOIN friendships f USING (low_account, high_account)
    JOIN accounts a ON a.account_id = iif(n.account_id = f.low_account, f.high_account, f.low_account)
    WHERE n.account_id = :account AND (n.username, n.low_account, n.high_account) > (:after, :low, :high)
    ORDER BY n.username, n.low_account, n.high_account LIMIT :limit
    """

  /// An account's friends by username. This is the app's first request, so it reads the columns directly.
  static func list(of account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<Friend> {
    let after = try page.cursor(NamePlace.init(text:)) ?? .start
    let pair = AccountPair(account, after.account)
    var friends: [(place: NamePlace, friend: Friend)] = []
    friends.reserveCapacity(page.fetchLimit)
    try database.each(
      listSQL, .id(account), .text(after.username), .id(pair.low), .id(pair.high), .number(page.fetchLimit)
    ) { row in
      let friend: AccountID = try row.id(0)
      let shown = Friend(
        accountID: friend, username: try Username(text: row.text(1)), nickname: row.isNull(2) ? nil : row.text(2),
        photoURL: row.isNull(3) ? nil : PhotoURL(account: friend, tag: row.text(3)), since: row.instant(4))
      friends.append((place: NamePlace(username: row.text(5), account: friend), friend: shown))
      return true
    }
    return page.page(of: friends, key: { $0.place }, item: { $0.friend })
  }
}
