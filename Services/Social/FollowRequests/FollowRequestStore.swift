public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension FollowRequest.State: DatabaseValueConvertible {}

/// The follow requests of all accounts; at most one waits from one account to another.
enum FollowRequestStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "follow requests") { database in
      try database.execute(
        sql: """
          CREATE TABLE follow_requests (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            follow_request_id BLOB NOT NULL UNIQUE CHECK (length(follow_request_id) = 16),
            from_account BLOB NOT NULL CHECK (length(from_account) = 16),
            to_account BLOB NOT NULL CHECK (length(to_account) = 16),
            state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected')),
            sent_at INTEGER NOT NULL,
            answered_at INTEGER,
            CHECK (from_account <> to_account),
            CHECK ((state = 'pending') = (answered_at IS NULL))
          ) STRICT;
          CREATE UNIQUE INDEX follow_requests_pending ON follow_requests (from_account, to_account) WHERE state = 'pending';
          CREATE INDEX follow_requests_received ON follow_requests (to_account, sequence);
          CREATE INDEX follow_requests_sent ON follow_requests (from_account, sequence);
          """)
    }
  }

  /// A request as it stands in the table.
  struct Stored {
    let id: ID<FollowRequest>
    let from: AccountID
    let to: AccountID
    let state: FollowRequest.State

    func direction(for account: AccountID) -> FollowRequest.Direction? {
      if account == to { return .received }
      return account == from ? .sent : nil
    }
  }

  static func find(_ id: ID<FollowRequest>, in database: Database) throws -> Stored? {
    let statement = try database.cachedStatement(
      sql: "SELECT from_account, to_account, state FROM follow_requests WHERE follow_request_id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map {
      Stored(id: id, from: $0["from_account"], to: $0["to_account"], state: $0["state"])
    }
  }

  /// How an account stands to another.
  static func standing(of account: AccountID, to other: AccountID, in database: Database) throws -> FollowRequestRules.Standing {
    if try FollowStore.follows(account, other, in: database) { return .following }
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM follow_requests WHERE from_account = ? AND to_account = ? AND state = 'pending'")
    return try Row.fetchOne(statement, arguments: [account, other]) == nil ? .strangers : .asking
  }

  /// How many an account follows and has asked.
  static func count(of account: AccountID, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: """
        SELECT (SELECT count(*) FROM follows WHERE follower_account = ?1 AND state = 'accepted')
          + (SELECT count(*) FROM follow_requests WHERE from_account = ?1 AND state = 'pending')
        """)
    return try Int.fetchOne(statement, arguments: [account]) ?? 0
  }

  /// Notes that an account asks another.
  static func add(from account: AccountID, to other: AccountID, _ transaction: Transaction) throws -> ID<FollowRequest> {
    let id = ID<FollowRequest>()
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO follow_requests (follow_request_id, from_account, to_account, state, sent_at) VALUES (?, ?, ?, 'pending', ?)
        """)
    try statement.execute(arguments: [id, account, other, transaction.now])
    return id
  }

  /// Notes the answer to a waiting request.
  static func answer(_ request: Stored, _ answer: FollowRequest.State, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE follow_requests SET state = ?, answered_at = ? WHERE follow_request_id = ? AND state = 'pending'")
    try statement.execute(arguments: [answer, transaction.now, request.id])
  }

  /// A request as one of its two accounts sees it.
  static func view(_ id: ID<FollowRequest>, for account: AccountID, in database: Database) throws -> FollowRequest {
    let statement = try database.cachedStatement(
      sql: """
        SELECT r.*, a.account_id, a.username, a.nickname FROM follow_requests r
        JOIN accounts a ON a.account_id = iif(r.to_account = :account, r.from_account, r.to_account)
        WHERE r.follow_request_id = :id
        """)
    guard let row = try Row.fetchOne(statement, arguments: ["account": account, "id": id]) else {
      throw Failure(RequestFailure.notFound)
    }
    return FollowRequest(row, for: account)
  }

  /// The requests received and sent, newest first.
  static func list(
    for account: AccountID, direction: FollowRequest.Direction?, state: FollowRequest.State?, _ page: PageRequest,
    in database: Database
  ) throws -> Page<FollowRequest> {
    // Each half walks its own index from the newest on and stops at the page's end.
    let half = { (own: String, other: String) in
      """
      SELECT * FROM (
        SELECT r.*, a.account_id, a.username, a.nickname FROM follow_requests r JOIN accounts a ON a.account_id = r.\(other)
        WHERE r.\(own) = :account AND r.sequence < :before AND (:state IS NULL OR r.state = :state)
        ORDER BY r.sequence DESC LIMIT :limit)
      """
    }
    let received = half("to_account", "from_account")
    let sent = half("from_account", "to_account")
    let sql =
      switch direction {
      case .received: received
      case .sent: sent
      case nil: "\(received) UNION ALL \(sent) ORDER BY sequence DESC LIMIT :limit"
      }
    let rows = try Row.fetchAll(
      try database.cachedStatement(sql: sql),
      arguments: ["account": account, "before": page.before, "state": state, "limit": page.fetchLimit])
    return page.page(of: rows, key: { $0["sequence"] as Int64 }) { FollowRequest($0, for: account) }
  }

  /// All requests as events, in the order in which they were sent; see `SnapshotParts`. Usernames are those of now.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> (events: [any Event], nextKey: String?) {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT r.*, f.username AS from_username, t.username AS to_username FROM follow_requests r
        JOIN accounts f ON f.account_id = r.from_account JOIN accounts t ON t.account_id = r.to_account
        WHERE r.sequence > ? ORDER BY r.sequence LIMIT ?
        """, arguments: [key.flatMap { Int64($0) } ?? 0, SnapshotParts.pageSize])
    let events = rows.flatMap { row -> [any Event] in
      let sent = FollowRequestSent(
        followRequestID: row["follow_request_id"], fromAccountID: row["from_account"], fromUsername: row["from_username"],
        toAccountID: row["to_account"], at: row["sent_at"])
      guard row["state"] as FollowRequest.State == .accepted else { return [sent] }
      let accepted = FollowRequestAccepted(
        followRequestID: sent.followRequestID, fromAccountID: sent.fromAccountID, toAccountID: sent.toAccountID,
        toUsername: row["to_username"], at: row["answered_at"])
      return [sent, accepted]
    }
    let last: Int64? = rows.last?["sequence"]
    return (events, rows.count < SnapshotParts.pageSize ? nil : last?.description)
  }
}

extension FollowRequest {
  fileprivate init(_ row: Row, for account: AccountID) {
    let addressee: AccountID = row["to_account"]
    self.init(
      id: row["follow_request_id"], direction: addressee == account ? .received : .sent, accountID: row["account_id"],
      username: row["username"], nickname: row["nickname"], state: row["state"], sentAt: row["sent_at"],
      answeredAt: row["answered_at"])
  }
}
