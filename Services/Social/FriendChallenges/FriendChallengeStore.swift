import ActivityContract
public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension FriendChallengeState: DatabaseValueConvertible {}

/// The challenges of all accounts. For one activity and one friend, at most one is pending or active.
enum FriendChallengeStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "friend challenges") { try $0.execute(sql: schema + FriendChallengeStreakStore.schema) }
  }

  private static let schema = """
    CREATE TABLE friend_challenges (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      friend_challenge_id BLOB NOT NULL UNIQUE CHECK (length(friend_challenge_id) = 16),
      from_account BLOB NOT NULL CHECK (length(from_account) = 16),
      to_account BLOB NOT NULL CHECK (length(to_account) = 16),
      -- the challenger's, and from when it was accepted the other's
      from_activity BLOB NOT NULL CHECK (length(from_activity) = 16),
      to_activity BLOB CHECK (length(to_activity) = 16),
      -- as it was when the challenge was sent
      activity TEXT NOT NULL CHECK (json_valid(activity)),
      -- the first day of the other's
      start_day INTEGER,
      state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected', 'withdrawn', 'ended')),
      sent_at INTEGER NOT NULL,
      answered_at INTEGER,
      ended_at INTEGER,
      changed_at INTEGER NOT NULL,
      revision INTEGER NOT NULL CHECK (revision >= 1),
      CHECK (from_account <> to_account),
      CHECK ((to_activity IS NULL) = (start_day IS NULL)),
      CHECK (state <> 'accepted' OR to_activity IS NOT NULL),
      CHECK (state NOT IN ('pending', 'rejected', 'withdrawn') OR to_activity IS NULL),
      CHECK (CASE state WHEN 'pending' THEN answered_at IS NULL WHEN 'ended' THEN TRUE ELSE answered_at IS NOT NULL END),
      CHECK ((state = 'ended') = (ended_at IS NOT NULL))
    ) STRICT;
    CREATE UNIQUE INDEX friend_challenges_open ON friend_challenges (from_account, to_account, from_activity)
      WHERE state IN ('pending', 'accepted');
    CREATE INDEX friend_challenges_received ON friend_challenges (to_account, sequence);
    CREATE INDEX friend_challenges_received_by_state ON friend_challenges (to_account, state, sequence);
    CREATE INDEX friend_challenges_sent ON friend_challenges (from_account, sequence);
    CREATE INDEX friend_challenges_sent_by_state ON friend_challenges (from_account, state, sequence);
    CREATE INDEX friend_challenges_by_activity ON friend_challenges (from_activity);
    CREATE INDEX friend_challenges_by_copy ON friend_challenges (to_activity) WHERE to_activity IS NOT NULL;

    """

  /// A challenge of the table.
  struct Stored: Sendable {
    let id: ID<FriendChallenge>
    let from: AccountID
    let to: AccountID
    let fromActivity: ActivityID
    let activity: ChallengeActivity
    let state: FriendChallengeState
  }

  /// One of the account's challenges, and its direction. A challenge exists only for its two accounts, and not with an account that was
  /// deleted or has blocked the caller.
  static func find(
    _ id: ID<FriendChallenge>, of account: AccountID, in database: Database
  ) throws -> (challenge: Stored, direction: ConnectionRequestDirection) {
    let statement = try database.cachedStatement(
      sql: """
        SELECT c.*, e.at IS NOT NULL AS is_over FROM friend_challenges c
        LEFT JOIN friend_challenge_ends e ON e.sequence = c.sequence WHERE c.friend_challenge_id = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { throw Failure(RequestFailure.notFound) }
    let isOver: Bool = row["is_over"]
    let challenge = Stored(
      id: id, from: row["from_account"], to: row["to_account"], fromActivity: row["from_activity"],
      activity: try ChallengeActivity(row), state: isOver ? .ended : row["state"])
    let other = challenge.from == account ? challenge.to : challenge.from
    guard [challenge.from, challenge.to].contains(account), try !database.isErased(other),
      try !BlockStore.hasBlocked(other, account, in: database)
    else { throw Failure(RequestFailure.notFound) }
    return (challenge, challenge.to == account ? .received : .sent)
  }

  /// Whether a challenge to that activity is pending or active with that friend, or the account itself got the activity by a challenge from
  /// that friend.
  static func isOpen(
    from account: AccountID, to friend: AccountID, _ activity: ActivityID, in database: Database
  ) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM friend_challenges
      WHERE from_account = ?1 AND to_account = ?2 AND from_activity = ?3 AND state IN ('pending', 'accepted')
      UNION ALL
      SELECT 1 FROM friend_challenges WHERE to_activity = ?3 AND from_account = ?2 AND state = 'accepted' LIMIT 1
      """, .id(account), .id(friend), .id(activity)
    ) { _ in true } ?? false
  }

  /// How many that the account has sent wait or go on.
  static func countOpen(from account: AccountID, in database: Database) throws -> Int {
    try database.first(
      "SELECT count(*) FROM friend_challenges WHERE from_account = ? AND state IN ('pending', 'accepted')", .id(account)
    ) { $0.number(0) } ?? 0
  }

  /// When the account sent the first of its last so many challenges; nil where it has sent fewer.
  static func sentAt(_ count: Int, from account: AccountID, in database: Database) throws -> Instant? {
    try Instant.fetchOne(
      database.cachedStatement(
        sql: "SELECT sent_at FROM friend_challenges WHERE from_account = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?"),
      arguments: [account, count - 1])
  }

  /// Keeps a new challenge and publishes it.
  static func add(
    from account: AccountID, to friend: AccountID, _ activityID: ActivityID, _ activity: ChallengeActivity,
    _ transaction: Transaction
  ) throws -> ID<FriendChallenge> {
    let id = ID<FriendChallenge>()
    try transaction.database.run(
      """
      INSERT INTO friend_challenges (friend_challenge_id, from_account, to_account, from_activity, activity, state, sent_at,
        changed_at, revision)
      VALUES (?1, ?2, ?3, ?4, ?5, 'pending', ?6, ?6, max(1, ?6))
      """, .id(id), .id(account), .id(friend), .id(activityID), .text(String(decoding: activity.json, as: UTF8.self)),
      .instant(transaction.now))
    try publish(id, transaction)
    return id
  }

  /// Notes that a waiting challenge was rejected or withdrawn, and publishes it.
  static func refuse(_ id: ID<FriendChallenge>, _ state: FriendChallengeState, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE friend_challenges SET state = ?3, answered_at = ?2, \(changed) WHERE friend_challenge_id = ?1", .id(id),
      .instant(transaction.now), .text(state.rawValue))
    try publish(id, transaction)
  }

  /// Notes that a pending challenge was accepted: the recipient gets its own activity from that day on, and both streaks are kept.
  static func accept(_ challenge: Stored, from startDay: LocalDay, _ transaction: Transaction) throws {
    let activityID = ActivityID()
    try FriendChallengeStreakStore.begin(challenge.id, challenge.from, challenge.fromActivity, transaction)
    try FriendChallengeStreakStore.begin(challenge.id, challenge.to, activityID, transaction)
    try transaction.database.run(
      """
      UPDATE friend_challenges SET state = 'accepted', answered_at = ?2, to_activity = ?3, start_day = ?4, \(changed)
      WHERE friend_challenge_id = ?1
      """, .id(challenge.id), .instant(transaction.now), .id(activityID), .day(startDay))
    try publish(challenge.id, transaction)
    var activity = challenge.activity
    activity.startDay = startDay
    try transaction.publish(
      FriendChallengeAccepted(
        friendChallengeID: challenge.id, accountID: challenge.to, activityID: activityID, activity: activity, at: transaction.now)
    )
  }

  /// Ends a challenge that waits or goes on, for both, and publishes it.
  ///
  /// - Parameter time: when it ended; nil for now.
  static func end(_ id: ID<FriendChallenge>, at time: Instant? = nil, _ transaction: Transaction) throws {
    try FriendChallengeStreakStore.end(id, transaction)
    try transaction.database.run(
      "UPDATE friend_challenges SET state = 'ended', ended_at = ?3, \(changed) WHERE friend_challenge_id = ?1", .id(id),
      .instant(transaction.now), .instant(time ?? transaction.now))
    try publish(id, transaction)
  }

  /// Ends all that wait or go on between two accounts, with their friendship or when one blocks the other.
  static func end(between one: AccountID, and other: AccountID, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        \(unended) AND from_account = ?1 AND to_account = ?2
        UNION ALL \(unended) AND from_account = ?2 AND to_account = ?1
        """)
    try FriendChallengeEndStore.end(try Int64.fetchAll(statement, arguments: [one, other]), transaction)
  }

  /// Ends all that need an account's activity, since it was deleted.
  static func end(of activity: ActivityID, of account: AccountID, _ transaction: Transaction) throws {
    try FriendChallengeEndStore.end(try needing(activity, of: account, in: transaction.database), transaction)
  }

  /// The challenges that wait or go on and need an account's activity.
  static func needing(_ activity: ActivityID, of account: AccountID, in database: Database) throws -> [Int64] {
    let statement = try database.cachedStatement(
      sql: """
        \(unended) AND from_account = ?2 AND from_activity = ?1
        UNION ALL SELECT sequence FROM friend_challenges INDEXED BY friend_challenges_by_copy
        WHERE to_activity = ?1 AND to_account = ?2 AND state = 'accepted' AND \(isNotOver)
        """)
    return try Int64.fetchAll(statement, arguments: [activity, account])
  }

  /// Those that wait or go on, in SQL, to be narrowed down by who sent them: found in the index alone, of which an account has at most
  /// ``FriendChallengeRules/maximum``.
  private static let unended = """
    SELECT sequence FROM friend_challenges INDEXED BY friend_challenges_open
    WHERE state IN ('pending', 'accepted') AND \(isNotOver)
    """

  /// Whether a challenge is not left to be ended already: then it keeps the time since when it is over.
  private static let isNotOver = """
    NOT EXISTS (SELECT 1 FROM friend_challenge_ends e WHERE e.sequence = friend_challenges.sequence)
    """

  /// What each change sets, in SQL; `?2` is now.
  private static let changed = "changed_at = ?2, revision = max(revision + 1, ?2)"
}
