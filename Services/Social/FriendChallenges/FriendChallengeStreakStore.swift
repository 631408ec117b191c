import ActivityContract
import GRDB
import Operations
import SocialContract
import Storage

/// The read model of streaks: a row for each of the two activities of each challenge that goes on, fed by activity's ``StreakChanged``.
enum FriendChallengeStreakStore {
  static let schema = """
    CREATE TABLE friend_challenge_streaks (
      friend_challenge_id BLOB NOT NULL REFERENCES friend_challenges (friend_challenge_id) ON DELETE CASCADE,
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      activity_id BLOB NOT NULL CHECK (length(activity_id) = 16),
      -- null until activity has published it
      run INTEGER CHECK (run >= 0),
      longest INTEGER CHECK (longest >= run),
      unit TEXT CHECK (unit IN ('days', 'weeks')),
      revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
      PRIMARY KEY (friend_challenge_id, account_id),
      CHECK ((run IS NULL) = (longest IS NULL) AND (run IS NULL) = (unit IS NULL) AND (run IS NULL) = (revision = 0))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX friend_challenge_streaks_by_activity ON friend_challenge_streaks (activity_id);
    """

  /// Begins to keep the streak of an account's activity, for as long as the challenge is active.
  static func begin(
    _ challenge: ID<FriendChallenge>, _ account: AccountID, _ activity: ActivityID, _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      "INSERT INTO friend_challenge_streaks (friend_challenge_id, account_id, activity_id) VALUES (?, ?, ?)", .id(challenge),
      .id(account), .id(activity))
  }

  /// Stores an activity's published streak in each challenge that keeps it.
  static func keep(_ event: StreakChanged, _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      UPDATE friend_challenge_streaks SET run = ?3, longest = ?4, unit = ?5, revision = ?6
      WHERE activity_id = ?1 AND account_id = ?2 AND revision < ?6
      """, .id(event.activityID), .id(event.accountID), .number(event.streak.current), .number(event.streak.longest),
      .text(event.streak.unit.rawValue), .number(event.revision))
  }

  static func end(_ challenge: ID<FriendChallenge>, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM friend_challenge_streaks WHERE friend_challenge_id = ?", .id(challenge))
  }
}

extension Streak {
  /// The columns `<side>_run`, `<side>_longest` and `<side>_unit`; nil where activity has not published the streak yet.
  init?(_ row: Row, side: String) {
    guard let run = row["\(side)_run"] as Int?, let longest = row["\(side)_longest"] as Int?,
      let unit = (row["\(side)_unit"] as String?).flatMap(Unit.init(rawValue:))
    else { return nil }
    self.init(current: run, longest: longest, unit: unit)
  }
}
