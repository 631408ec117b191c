import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The blocks between accounts.
enum BlockStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "blocks") { database in
      try database.execute(
        sql: """
          CREATE TABLE blocks (
            blocker_account BLOB NOT NULL CHECK (length(blocker_account) = 16),
            blocked_account BLOB NOT NULL CHECK (length(blocked_account) = 16),
            since INTEGER NOT NULL,
            PRIMARY KEY (blocker_account, blocked_account),
            CHECK (blocker_account <> blocked_account)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX blocks_by_blocked ON blocks (blocked_account);
          CREATE INDEX blocks_newest ON blocks (blocker_account, since, blocked_account);
          """)
    }
  }

  /// Whether an account has blocked another.
  static func hasBlocked(_ blocker: AccountID, _ blocked: AccountID, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM blocks WHERE blocker_account = ? AND blocked_account = ?")
    return try Row.fetchOne(statement, arguments: [blocker, blocked]) != nil
  }

  /// Whether one of the two has blocked the other: then neither sees or reaches the other.
  static func areApart(_ one: AccountID, _ other: AccountID, in database: Database) throws -> Bool {
    try hasBlocked(one, other, in: database) || hasBlocked(other, one, in: database)
  }

  /// The same in SQL, of two columns or parameters: whether the first has blocked the second.
  static func exists(by blocker: String, of blocked: String) -> String {
    "EXISTS (SELECT 1 FROM blocks WHERE blocks.blocker_account = \(blocker) AND blocks.blocked_account = \(blocked))"
  }

  /// How many an account has blocked.
  static func count(of blocker: AccountID, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(sql: "SELECT count(*) FROM blocks WHERE blocker_account = ?")
    return try Int.fetchOne(statement, arguments: [blocker]) ?? 0
  }

  /// Notes that an account blocks another that it has not blocked.
  static func add(_ blocker: AccountID, _ blocked: AccountID, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO blocks (blocker_account, blocked_account, since, known_username, known_nickname)
        SELECT ?, ?, ?, username, nickname FROM (SELECT ? AS account) LEFT JOIN accounts ON account_id = account
        """)
    try statement.execute(arguments: [blocker, blocked, transaction.now, blocker])
  }

  /// Ends a block; false if there was none.
  static func remove(_ blocker: AccountID, _ blocked: AccountID, _ transaction: Transaction) throws -> Bool {
    let statement = try transaction.database.cachedStatement(
      sql: "DELETE FROM blocks WHERE blocker_account = ? AND blocked_account = ?")
    try statement.execute(arguments: [blocker, blocked])
    return transaction.database.changesCount > 0
  }
}

extension BlockStore {
  /// The rows of the accounts that an account has blocked, to be narrowed down. Their names are shown as before, or, if they have blocked
  /// the account in turn, as it last knew them.
  private static let selection = """
    SELECT a.account_id, b.since, iif(o.since IS NULL, a.username, o.known_username) AS username,
      iif(o.since IS NULL, a.nickname, o.known_nickname) AS nickname,
      iif(o.since IS NULL AND NOT \(SuspensionStore.isSuspended("b.blocked_account")), a.photo_tag, NULL) AS photo_tag
    FROM blocks b CROSS JOIN accounts a ON a.account_id = b.blocked_account
    LEFT JOIN blocks o ON o.blocker_account = b.blocked_account AND o.blocked_account = b.blocker_account
    """

  /// One that an account has blocked; nil if it has not, or the other was deleted.
  static func view(_ blocked: AccountID, of blocker: AccountID, in database: Database) throws -> Block? {
    let statement = try database.cachedStatement(
      sql: "\(selection) WHERE b.blocker_account = ? AND b.blocked_account = ?")
    return try Row.fetchOne(statement, arguments: [blocker, blocked]).map(Block.init)
  }

  /// How a page of the list is found: by a walk along an index from where the page begins.
  static let listSQL = """
    \(selection) WHERE b.blocker_account = :account AND (b.since, b.blocked_account) < (:since, :other)
    ORDER BY b.since DESC, b.blocked_account DESC LIMIT :limit
    """

  /// Those whom an account has blocked, the latest first.
  static func list(of blocker: AccountID, _ page: PageRequest, in database: Database) throws -> Page<Block> {
    let position = try page.cursor(BlockPosition.init(text:))
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: listSQL),
      arguments: [
        "account": blocker, "since": position?.since ?? .endOfTime, "other": position?.accountID ?? .placeholder,
        "limit": page.fetchLimit,
      ])
    return page.page(
      of: rows, key: { BlockPosition(since: $0["since"], accountID: $0["account_id"]) }, item: Block.init)
  }
}

extension Block {
  fileprivate init(_ row: Row) {
    self.init(
      accountID: row["account_id"], username: row["username"], nickname: row["nickname"],
      photoURL: row.photoURL(of: "account_id"), since: row["since"])
  }
}
