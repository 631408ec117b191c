import GRDB
import Operations
import Storage

/// Accounts whose new username has not reached every list that is sorted by username: the rows of `friend_names` and `follower_names`.
///
/// Until then, such a list shows the new name in the former one's place. Who becomes a friend or is followed meanwhile has the new name at
/// once, and a further change begins anew with the newest.
enum NameChangeStore {
  /// How many people's lists are updated in the transaction that receives a new username; the others follow in steps.
  static let peopleAtOnce = 50

  static func migration(_ number: Int) -> Migration {
    Migration(number, "new usernames in lists") { database in
      try database.execute(
        sql: """
          -- Accounts with a new username, and the person up to whom it has come into others' lists.
          CREATE TABLE name_changes (
            account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
            last_person BLOB NOT NULL CHECK (length(last_person) = 16)
          ) STRICT, WITHOUT ROWID;
          DROP TRIGGER friend_names_changed;
          DROP TRIGGER follower_names_changed;
          CREATE TRIGGER name_changes_begun AFTER UPDATE OF username ON accounts WHEN new.username <> old.username BEGIN
            INSERT INTO name_changes (account_id, last_person) VALUES (new.account_id, zeroblob(16))
              ON CONFLICT (account_id) DO UPDATE SET last_person = excluded.last_person;
          END;
          """)
    }
  }

  /// Puts an account's new username into the lists of some more people, and deletes its row with the last of them.
  ///
  /// - Parameter count: of how many people at most.
  /// - Returns: whether none is left.
  static func settle(_ account: AccountID, people count: Int, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    let change = try database.first(
      "SELECT username, last_person FROM name_changes JOIN accounts USING (account_id) WHERE account_id = ?", .id(account)
    ) { (username: $0.text(0), last: try $0.id(1) as AccountID) }
    guard let change else { return true }
    let others = try people(of: account, after: change.last, limit: count, in: database)
    for other in others {
      let pair = AccountPair(account, other)
      try database.run(
        "UPDATE friend_names SET username = ? WHERE low_account = ? AND high_account = ? AND account_id = ?",
        .text(change.username), .id(pair.low), .id(pair.high), .id(other))
      try database.run(
        "UPDATE follower_names SET username = ? WHERE follower_account = ? AND followed_account = ?", .text(change.username),
        .id(account), .id(other))
    }
    guard others.count == count, let last = others.last else {
      try database.run("DELETE FROM name_changes WHERE account_id = ?", .id(account))
      return true
    }
    try database.run("UPDATE name_changes SET last_person = ? WHERE account_id = ?", .id(last), .id(account))
    return false
  }

  /// The first people after one, by their ids, in whose lists an account is: its friends and those whom it follows.
  static func people(
    of account: AccountID, after last: AccountID, limit: Int, in database: Database
  ) throws -> [AccountID] {
    var people: [AccountID] = []
    try database.each(
      """
      SELECT high_account AS person FROM friendships WHERE low_account = ?1 AND high_account > ?2
      UNION SELECT low_account FROM friendships WHERE high_account = ?1 AND low_account > ?2
      UNION SELECT followed_account FROM follower_names WHERE follower_account = ?1 AND followed_account > ?2
      ORDER BY person LIMIT ?3
      """, .id(account), .id(last), .number(limit)
    ) {
      people.append(try $0.id(0))
      return true
    }
    return people
  }
}
