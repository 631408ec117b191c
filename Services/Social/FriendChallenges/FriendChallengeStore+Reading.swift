import ActivityContract
import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

extension FriendChallengeStore {
  /// The account's challenges in one direction, in SQL: with the other account and both streaks, the account's own first. Challenges with
  /// accounts that have blocked the account, or were deleted, are left out.
  private static func side(_ own: String, _ other: String) -> String {
    """
    SELECT c.*, a.account_id, a.username, a.nickname, \(ShownPersonStore.photoTag(of: "a.account_id", for: ":account")),
      mine.run AS own_run, mine.longest AS own_longest, mine.unit AS own_unit,
      theirs.run AS other_run, theirs.longest AS other_longest, theirs.unit AS other_unit,
      e.at AS over_at
    FROM friend_challenges c JOIN accounts a ON a.account_id = c.\(other)
    LEFT JOIN friend_challenge_streaks mine
      ON mine.friend_challenge_id = c.friend_challenge_id AND mine.account_id = c.\(own)
    LEFT JOIN friend_challenge_streaks theirs
      ON theirs.friend_challenge_id = c.friend_challenge_id AND theirs.account_id = c.\(other)
    LEFT JOIN friend_challenge_ends e ON e.sequence = c.sequence
    WHERE c.\(own) = :account AND \(ShownPersonStore.isFound("c.\(other)", for: ":account"))
    """
  }

  private static let received = side("to_account", "from_account")
  private static let sent = side("from_account", "to_account")

  /// A challenge as one of its two accounts sees it; to all others it does not exist.
  static func view(_ id: ID<FriendChallenge>, for account: AccountID, in database: Database) throws -> FriendChallenge {
    let statement = try database.cachedStatement(
      sql: "\(received) AND c.friend_challenge_id = :id UNION ALL \(sent) AND c.friend_challenge_id = :id")
    guard let row = try Row.fetchOne(statement, arguments: ["account": account, "id": id]) else {
      throw Failure(RequestFailure.notFound)
    }
    return try FriendChallenge(row, for: account)
  }

  /// The SQL of a list: each half walks an index of its own from the newest on and stops at the page's end. Among those of a state, what is
  /// over and not ended yet is left out; see ``FriendChallengeEndStore``.
  static func listSQL(_ direction: ConnectionRequestDirection?, isOfState: Bool) -> String {
    let state = isOfState ? " AND c.state = :state AND e.at IS NULL" : ""
    let page = "c.sequence < :before\(state) ORDER BY c.sequence DESC LIMIT :limit"
    let (received, sent) = ("SELECT * FROM (\(received) AND \(page))", "SELECT * FROM (\(sent) AND \(page))")
    return switch direction {
    case .received: received
    case .sent: sent
    case nil: "\(received) UNION ALL \(sent) ORDER BY sequence DESC LIMIT :limit"
    }
  }

  /// The challenges received and sent, newest first.
  static func list(
    for account: AccountID, direction: ConnectionRequestDirection?, state: FriendChallengeState?, _ page: PageRequest,
    in database: Database
  ) throws -> Page<FriendChallenge> {
    var arguments: StatementArguments = ["account": account, "before": try page.before, "limit": page.fetchLimit]
    if let state { arguments += ["state": state] }
    let statement = try database.cachedStatement(sql: listSQL(direction, isOfState: state != nil))
    let rows = try Row.fetchAll(statement, arguments: arguments)
    return try page.page(of: rows, key: { $0["sequence"] as Int64 }) { try FriendChallenge($0, for: account) }
  }

  /// The columns of which events are made, with both usernames as they are now.
  private static let events = """
    SELECT c.*, f.username AS from_username, t.username AS to_username FROM friend_challenges c
    JOIN accounts f ON f.account_id = c.from_account JOIN accounts t ON t.account_id = c.to_account
    """

  /// Publishes a challenge as it is now, for each of the two apart.
  static func publish(_ id: ID<FriendChallenge>, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(sql: "\(events) WHERE c.friend_challenge_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return }
    for event in try FriendChallengeChanged.both(row) { try transaction.publish(event) }
  }

  /// All challenges as events, in the order in which they were sent; see `SnapshotParts`. What was accepted once is published so, also
  /// where it has ended since.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database, sql: "\(events) WHERE c.sequence > ? ORDER BY c.sequence LIMIT ?",
      arguments: [key.flatMap { Int64($0) } ?? 0, SnapshotParts.pageSize])
    let events = try rows.flatMap { row -> [any Event] in
      var events: [any Event] = try FriendChallengeChanged.both(row)
      if let accepted = try FriendChallengeAccepted(row) { events.append(accepted) }
      return events
    }
    return SnapshotParts.page(events, of: rows) { $0["sequence"] as Int64 }
  }
}

extension ChallengeActivity {
  /// The column `activity`.
  init(_ row: Row) throws { self = try ChallengeActivity.decode(Array((row["activity"] as String).utf8)) }
}

extension FriendChallenge {
  fileprivate init(_ row: Row, for account: AccountID) throws {
    let isReceived = row["to_account"] as AccountID == account
    let overAt: Instant? = row["over_at"]
    self.init(
      id: row["friend_challenge_id"], direction: isReceived ? .received : .sent, accountID: row["account_id"],
      username: row["username"], nickname: row["nickname"], photoURL: row.photoURL(of: "account_id"),
      state: overAt == nil ? row["state"] : .ended, sentAt: row["sent_at"], answeredAt: row["answered_at"],
      endedAt: overAt ?? row["ended_at"] as Instant?, activity: try ChallengeActivity(row),
      activityID: isReceived ? row["to_activity"] : row["from_activity"],
      ownStreak: overAt == nil ? Streak(row, side: "own") : nil,
      otherStreak: overAt == nil ? Streak(row, side: "other") : nil)
  }
}

extension FriendChallengeChanged {
  /// The events for a challenge: one for its recipient, and one for its sender.
  fileprivate static func both(_ row: Row) throws -> [FriendChallengeChanged] {
    let title = try ChallengeActivity(row).title
    return [ConnectionRequestDirection.received, .sent].map { direction in
      let (own, other) = direction == .received ? ("to", "from") : ("from", "to")
      return FriendChallengeChanged(
        friendChallengeID: row["friend_challenge_id"], accountID: row["\(own)_account"], direction: direction,
        otherAccountID: row["\(other)_account"], otherUsername: row["\(other)_username"], activityTitle: title,
        activityID: row["\(own)_activity"], state: row["state"], revision: row["revision"], at: row["changed_at"])
    }
  }
}

extension FriendChallengeAccepted {
  /// Nil where it was never accepted.
  fileprivate init?(_ row: Row) throws {
    guard let activityID = row["to_activity"] as ActivityID?, let startDay = row["start_day"] as LocalDay? else { return nil }
    var activity = try ChallengeActivity(row)
    activity.startDay = startDay
    self.init(
      friendChallengeID: row["friend_challenge_id"], accountID: row["to_account"], activityID: activityID, activity: activity,
      at: row["answered_at"])
  }
}

extension FriendChallengeStore {
  /// How many of an account's challenges were accepted in a time, whatever became of them since.
  static func countAccepted(
    from account: AccountID, since from: Instant, until: Instant, in database: Database
  ) throws -> Int {
    try database.first(
      """
      SELECT count(*) FROM friend_challenges
      WHERE from_account = ? AND to_activity IS NOT NULL AND answered_at >= ? AND answered_at < ?
      """, .id(account), .instant(from), .instant(until)
    ) { $0.number(0) } ?? 0
  }
}
