import Foundation
import GRDB
import Operations
import Storage

/// Reserved former usernames, so that nobody can be mistaken for a former owner. Only keyed hashes are kept.
enum ReservedUsernameStore {
  /// Of a deleted account: nobody can have it.
  static let secondsAfterDeletion = 90 * 86_400
  /// Of an account that has another one now: it alone can have it back.
  static let secondsAfterRename = 30 * 86_400
  /// The most reserved names of an account, the latest ones: nobody can block many names.
  static let maxPerAccount = 3

  /// See ``AccountDeletionStore/migration(_:)``.
  static let table = """
    -- Keyed hashes of usernames that nobody can take for a while, so that nobody is mistaken for the former owner.
    CREATE TABLE reserved_usernames (
      username_key BLOB NOT NULL PRIMARY KEY CHECK (length(username_key) = 32),
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reserved_usernames_by_end ON reserved_usernames (until);
    """

  static func accountsMigration(_ number: Int) -> Migration {
    Migration(number, "former usernames") { database in
      try database.execute(
        sql: """
          -- The former owner, if that account can take it back.
          ALTER TABLE reserved_usernames ADD COLUMN account_id BLOB CHECK (length(account_id) = 16);
          CREATE INDEX reserved_usernames_by_account ON reserved_usernames (account_id, until) WHERE account_id IS NOT NULL;
          """)
    }
  }

  private static func hash(_ username: Username, _ key: SecretKey) -> Data {
    Data(key.code(for: Array(username.description.utf8)))
  }

  /// Whether an account has the username, or it is reserved; `owner` may have its own name and the names reserved for it.
  static func isTaken(
    _ username: Username, now: Instant, key: SecretKey, for owner: AccountID? = nil, in database: Database
  ) throws -> Bool {
    if let other = try AccountStore.find(username, in: database) { return other.id != owner }
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM reserved_usernames WHERE username_key = ?1 AND until > ?2 AND (?3 IS NULL OR account_id IS NOT ?3)")
    return try Row.fetchOne(statement, arguments: [hash(username, key), now, owner]) != nil
  }

  /// Reserves the username of a deleted account: nobody can take it for a while.
  static func reserve(ofDeleted username: Username, key: SecretKey, _ transaction: Transaction) throws {
    try reserve(username, for: nil, secondsAfterDeletion, key, transaction)
  }

  /// Reserves the former username of a renamed account: for a while, only that account can take it.
  static func reserve(_ username: Username, ofRenamed account: AccountID, key: SecretKey, _ transaction: Transaction) throws {
    try reserve(username, for: account, secondsAfterRename, key, transaction)
    try transaction.database.cachedStatement(
      sql: """
        DELETE FROM reserved_usernames WHERE account_id = ?1 AND username_key IN (
          SELECT username_key FROM reserved_usernames WHERE account_id = ?1 ORDER BY until DESC, username_key LIMIT -1 OFFSET ?2)
        """
    ).execute(arguments: [account, maxPerAccount])
  }

  /// Lets the name that an account has taken be reserved no longer.
  static func release(of username: Username, key: SecretKey, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM reserved_usernames WHERE username_key = ?")
      .execute(arguments: [hash(username, key)])
  }

  private static func reserve(
    _ username: Username, for account: AccountID?, _ seconds: Int, _ key: SecretKey, _ transaction: Transaction
  ) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO reserved_usernames (username_key, until, account_id) VALUES (?, ?, ?)
        ON CONFLICT (username_key) DO UPDATE SET until = excluded.until, account_id = excluded.account_id
        """
    ).execute(arguments: [hash(username, key), transaction.now.adding(seconds: seconds), account])
  }
}
