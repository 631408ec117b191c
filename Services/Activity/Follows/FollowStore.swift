import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The read model of follows: which accounts may see each other's activities and entries (SOC-7). Social's ``FollowChanged`` feeds it, and
/// each read queries it in its own transaction, so that access ends with the event that ends a follow.
///
/// Missing follows are not fetched: a follow begins with the other account's action, and the follower learns of it no sooner than this
/// service does.
enum FollowStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "follows") { database in
      try database.execute(
        sql: """
          CREATE TABLE follows (
            follower_account BLOB NOT NULL CHECK (length(follower_account) = 16),
            followed_account BLOB NOT NULL CHECK (length(followed_account) = 16),
            -- One that ended stays, so that an event that arrives late opens nothing.
            is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
            revision INTEGER NOT NULL,
            PRIMARY KEY (follower_account, followed_account)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX follows_by_followed ON follows (followed_account);
          """)
    }
  }

  /// Stores a follow from social. A late event of an erased account has no effect.
  static func keep(_ event: FollowChanged, _ transaction: Transaction) throws {
    for account in [event.followerAccountID, event.followedAccountID] where try transaction.database.isErased(account) { return }
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO follows (follower_account, followed_account, is_open, revision) VALUES (?, ?, ?, ?)
        ON CONFLICT (follower_account, followed_account) DO UPDATE
        SET is_open = excluded.is_open, revision = excluded.revision WHERE excluded.revision > follows.revision
        """)
    try statement.execute(arguments: [
      event.followerAccountID, event.followedAccountID, event.state == .accepted, event.revision,
    ])
  }

  static func isOpen(_ follower: AccountID, to followed: AccountID, now: Instant, in database: Database) throws -> Bool {
    try database.first(
      "SELECT is_open AND \(isThere("follows", at: "?3")) FROM follows WHERE follower_account = ?1 AND followed_account = ?2",
      .id(follower), .id(followed), .instant(now)
    ) { $0.truth(0) } ?? false
  }

  /// SQL that checks that the followed account of a row was not deleted and is not suspended: remains of a deleted account are not shown,
  /// nor is anything of a suspended one (SOC-8).
  ///
  /// - Parameters:
  ///   - table: the name of `follows` in the query.
  ///   - now: the parameter that holds the time.
  static func isThere(_ table: String, at now: String) -> String {
    """
    NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = \(table).followed_account)
      AND NOT EXISTS (
        SELECT 1 FROM accounts known WHERE known.account_id = \(table).followed_account AND NOT \(Accounts.isShown("known", at: now)))
    """
  }

  /// Refuses to show a reader data that is neither its own nor of an account that it follows; to the reader such data does not exist.
  static func require(_ reader: AccountID, mayRead owner: AccountID, now: Instant, in database: Database) throws {
    guard try reader == owner || isOpen(reader, to: owner, now: now, in: database) else { throw Failure(RequestFailure.notFound) }
  }
}
