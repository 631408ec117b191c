import ActivityContract
import GRDB
import Operations
import SocialContract
import Storage

/// The challenges that have become an activity, each once. A row stays when the activity is deleted, so that a repeated event of the
/// challenge does not restore it.
enum ChallengeActivityStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "activities of challenges") { database in
      try database.execute(
        sql: """
          CREATE TABLE challenge_activities (
            friend_challenge_id BLOB NOT NULL PRIMARY KEY CHECK (length(friend_challenge_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            activity_id BLOB NOT NULL CHECK (length(activity_id) = 16)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX challenge_activities_by_account ON challenge_activities (account_id);
          """)
    }
  }

  /// Records that the challenge becomes that activity.
  ///
  /// - Returns: whether it had not become one before.
  static func note(
    _ challenge: ID<FriendChallenge>, _ activity: ActivityID, of account: AccountID, _ transaction: Transaction
  ) throws -> Bool {
    try transaction.database.run(
      """
      INSERT INTO challenge_activities (friend_challenge_id, account_id, activity_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
      """, .id(challenge), .id(account), .id(activity))
    return transaction.database.changesCount > 0
  }
}
