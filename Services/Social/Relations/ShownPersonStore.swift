import GRDB
import Operations
import ServiceKit
import Storage

/// What one account sees of another, in all lists (SOC-8).
///
/// A blocked account must notice nothing. Where it still shares something with the blocker, be it a conversation, a task, a series, a part,
/// a comment, a file or a team, the blocker has neither names nor photo, like a deleted account; what belongs to the blocker alone is not
/// shown. Its requests to the blocker look sent, under the names by which it knew the blocker; see ``KnownNameStore``. Neither of the two
/// sees the other's photo, and nobody sees that of a suspended account, since reading it would fail.
enum ShownPersonStore {
  /// The condition, in SQL, that an account is to be found for a reader: that it has not blocked it.
  static func isFound(_ account: String, for reader: String) -> String {
    "NOT \(BlockStore.exists(by: account, of: reader))"
  }

  /// The names and the photo of the account of a row `a` of accounts, as columns of these names, for an account that has something with it
  /// still.
  static func columns(for reader: String) -> String {
    let hasBlocked = BlockStore.exists(by: "a.account_id", of: reader)
    return """
      iif(\(hasBlocked), NULL, a.username) AS username, iif(\(hasBlocked), NULL, a.nickname) AS nickname,
        \(photoTag(of: "a.account_id", for: reader))
      """
  }

  /// The photo of the account of a row `a` of accounts, as a column `photo_tag`.
  static func photoTag(of account: String, for reader: String) -> String {
    """
    iif(\(BlockStore.exists(by: account, of: reader)) OR \(BlockStore.exists(by: reader, of: account))
      OR \(SuspensionStore.isSuspended(account)), NULL, a.photo_tag) AS photo_tag
    """
  }

  /// The same for accounts between whom there is no block, as friends.
  static func photoTag(of account: String) -> String {
    "iif(\(SuspensionStore.isSuspended(account)), NULL, a.photo_tag) AS photo_tag"
  }

  /// The names and the photo of one account, for an account that has something with it still.
  static func find(
    _ account: AccountID, for reader: AccountID, in database: Database
  ) throws -> (username: Username?, nickname: String?, photoURL: PhotoURL?) {
    let statement = try database.cachedStatement(
      sql: "SELECT a.account_id, \(columns(for: ":reader")) FROM accounts a WHERE a.account_id = :account")
    guard let row = try Row.fetchOne(statement, arguments: ["account": account, "reader": reader]) else { return (nil, nil, nil) }
    return (row["username"], row["nickname"], row.photoURL(of: "account_id"))
  }
}
