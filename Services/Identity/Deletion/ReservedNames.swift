import Foundation
import GRDB
import Operations
import Storage

/// Usernames of deleted accounts: nobody can have one for 90 days, so that nobody is taken for who had it. Kept are keyed hashes.
enum ReservedNames {
  static let seconds = 90 * 86_400

  fileprivate static func hash(_ username: Username, _ key: SecretKey) -> Data {
    Data(key.code(for: Array(username.description.utf8)))
  }
}

extension Database {
  /// Whether nobody can have the username: an account has it, or had it until lately.
  func isTaken(_ username: Username, now: Instant, key: SecretKey) throws -> Bool {
    if try account(username) != nil { return true }
    let statement = try cachedStatement(sql: "SELECT 1 FROM reserved_usernames WHERE username_key = ? AND until > ?")
    return try Row.fetchOne(statement, arguments: [ReservedNames.hash(username, key), now]) != nil
  }
}

extension Transaction {
  /// Lets nobody have the username for a while.
  func reserve(_ username: Username, key: SecretKey) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO reserved_usernames (username_key, until) VALUES (?, ?)
        ON CONFLICT (username_key) DO UPDATE SET until = excluded.until
        """
    ).execute(arguments: [ReservedNames.hash(username, key), now.adding(seconds: ReservedNames.seconds)])
  }
}
