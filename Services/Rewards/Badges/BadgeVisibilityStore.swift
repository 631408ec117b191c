import GRDB
import Operations
import RewardsContract
import Storage

/// Who sees accounts' badges; by default no one else.
enum BadgeVisibilityStore {
  /// The table of ``ChallengeDefinitionStore/migration(_:)``.
  static let table = """
    CREATE TABLE badge_visibilities (
      account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
      to_friends INTEGER NOT NULL CHECK (to_friends IN (0, 1)),
      on_public_profile INTEGER NOT NULL CHECK (on_public_profile IN (0, 1))
    ) STRICT, WITHOUT ROWID;

    """

  static func find(_ account: AccountID, in database: Database) throws -> BadgeVisibility {
    try database.first(
      "SELECT to_friends, on_public_profile FROM badge_visibilities WHERE account_id = ?", .id(account)
    ) { BadgeVisibility(isVisibleToFriends: $0.truth(0), isVisibleOnPublicProfile: $0.truth(1)) } ?? BadgeVisibility()
  }

  static func put(_ visibility: BadgeVisibility, of account: AccountID, in database: Database) throws {
    try database.run(
      """
      INSERT INTO badge_visibilities (account_id, to_friends, on_public_profile) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET to_friends = excluded.to_friends, on_public_profile = excluded.on_public_profile
      """, .id(account), .truth(visibility.isVisibleToFriends), .truth(visibility.isVisibleOnPublicProfile))
  }
}
