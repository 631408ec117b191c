import GRDB
import Operations
import ServiceKit
import Storage

/// Which people a reader sees on leaderboards, and how (REW-6, SOC-8).
enum LeaderboardPeopleStore {
  /// A person's names and photo.
  struct Shown {
    let username: Username
    let nickname: String?
    let photoURL: PhotoURL?
  }

  /// Nil where the account is unknown, or no longer known.
  static func find(_ account: AccountID, in database: Database) throws -> Shown? {
    try database.first("SELECT username, nickname, photo_tag FROM accounts WHERE account_id = ?", .id(account)) { row in
      Shown(
        username: try Username(text: row.text(0)), nickname: row.isNull(1) ? nil : row.text(1),
        photoURL: row.isNull(2) ? nil : PhotoURL(account: account, tag: row.text(2)))
    }
  }

  /// A query of the reader's (`?1`) friends, as `account_id`, including those separated by a block.
  static let friends = """
    SELECT other_account_id AS account_id FROM relations WHERE account_id = ?1 AND is_friend = 1 AND is_apart = 0
    UNION ALL SELECT other_account_id FROM relations WHERE account_id = ?1 AND were_friends = 1
    """

  /// A query of the accounts that the reader (`?1`) has blocked or that have blocked it, as `account_id`.
  static let apart = "SELECT other_account_id AS account_id FROM relations WHERE account_id = ?1 AND is_apart = 1"

  /// Whether the reader (`?1`) has blocked an account, or the account the reader.
  static func isApart(_ account: String) -> String {
    "EXISTS (SELECT 1 FROM relations r WHERE r.account_id = ?1 AND r.other_account_id = \(account) AND r.is_apart = 1)"
  }
}
