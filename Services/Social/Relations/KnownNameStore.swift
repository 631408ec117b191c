import GRDB
import Operations
import ServiceKit
import Storage

/// The names by which a blocked account knew its blocker, kept where it still sees them: it does not see newer ones (SOC-8).
enum KnownNameStore {
  /// The tables that show such names, by the columns of the account that sees them.
  private static let tables = [
    "blocks": "blocker_account", "friend_requests": "to_account", "follow_requests": "to_account",
    "team_invitations": "to_account",
  ]

  static func migration(_ number: Int) -> Migration {
    Migration(number, "names by which blockers were known") { database in
      for (table, account) in tables.sorted(by: { $0.key < $1.key }) {
        let condition = table == "blocks" ? "TRUE" : "is_hidden = 1"
        try database.execute(
          sql: """
            -- For an account that has blocked the other: the last names that the other has seen.
            ALTER TABLE \(table) ADD COLUMN known_username TEXT;
            ALTER TABLE \(table) ADD COLUMN known_nickname TEXT;
            UPDATE \(table) SET (known_username, known_nickname) = (
              SELECT username, nickname FROM accounts WHERE account_id = \(table).\(account)) WHERE \(condition);
            """)
      }
    }
  }

  /// The assignment, in SQL, that keeps the names that an account has now.
  static func keep(_ account: String) -> String {
    "(known_username, known_nickname) = (SELECT username, nickname FROM accounts WHERE account_id = \(account))"
  }

  /// The names and the photo, as columns of these names, of who is asked by a row `r` that can be hidden from it; `a` is its account.
  static func columns(of row: String, isSender: String, for reader: String) -> String {
    let isHidden = "\(row).is_hidden AND \(isSender)"
    return """
      iif(\(isHidden), \(row).known_username, a.username) AS username,
        iif(\(isHidden), \(row).known_nickname, a.nickname) AS nickname,
        iif(\(isHidden) OR \(BlockStore.exists(by: "a.account_id", of: reader))
          OR \(BlockStore.exists(by: reader, of: "a.account_id")) OR \(SuspensionStore.isSuspended("a.account_id")),
          NULL, a.photo_tag) AS photo_tag
      """
  }
}
