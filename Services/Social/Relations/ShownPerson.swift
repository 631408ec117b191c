import GRDB
import Operations
import ServiceKit
import Storage

/// What one account is shown of another, in all lists (SOC-8).
///
/// Whom the other has blocked is to notice nothing: where it has something with the other still, the other has neither names nor photo, like
/// somebody who was deleted, whether that is a conversation, a task, a series, a part, a comment, a file or a team; what would be the other's
/// alone is not there. What it asks the blocker looks sent, under the names by which it
/// knew it; see ``KnownNames``. A photo is shown to neither of the two, nor that of somebody who is suspended, where reading it would fail.
enum ShownPerson {
  /// The condition, in SQL, that an account is to be found for a reader: that it has not blocked it.
  static func isFound(_ account: String, for reader: String) -> String {
    "NOT \(BlockStore.exists(by: account, of: reader))"
  }

  /// The names and the photo of the account of a row `a` of accounts, as columns of these names, for an account that has something with it still.
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
