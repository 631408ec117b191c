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

  /// Nobody is a friend of who was deleted, were the friendship still there.
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
    return transaction.database.changesCount > 0
  }

  /// Ends the friendship of two of whom one blocks the other; see ``BlockClosing``.
  @Sendable
  static func ended(with account: AccountID, limit: Int, _ transaction: Transaction) throws -> [any Event] {
    let statement = try transaction.database.cachedStatement(
      sql: """
        SELECT iif(low_account = ?1, high_account, low_account) FROM friendships WHERE low_account = ?1 OR high_account = ?1
        ORDER BY +low_account, +high_account LIMIT ?2
        """)
    return try AccountID.fetchAll(statement, arguments: [account, limit]).map {
      FriendshipEnded(accountID: account, friendAccountID: $0, at: transaction.now)
    }
  }

  /// An account's friends by username.
  static func list(of account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<Friend> {
    let statement = try database.cachedStatement(
      sql: """
        SELECT a.account_id, a.username, a.nickname, f.since FROM (
          SELECT high_account AS friend, since FROM friendships WHERE low_account = :account
          UNION ALL
          SELECT low_account, since FROM friendships WHERE high_account = :account
        ) f JOIN accounts a ON a.account_id = f.friend
        WHERE a.username > :after ORDER BY a.username LIMIT :limit
        """)
    let rows = try Row.fetchAll(
      statement,
      arguments: ["account": account, "after": page.cursor(Username.init(text:))?.description ?? "", "limit": page.fetchLimit])
    return page.page(of: rows, key: { $0["username"] as String }) { row in
      Friend(accountID: row["account_id"], username: row["username"], nickname: row["nickname"], since: row["since"])
    }
  }
}
