public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension FriendRequest.State: DatabaseValueConvertible {}

/// The friend requests of all accounts; at most one waits between any two.
enum FriendRequestStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "friend requests") { database in
      try database.execute(
        sql: """
          CREATE TABLE friend_requests (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            friend_request_id BLOB NOT NULL UNIQUE CHECK (length(friend_request_id) = 16),
            from_account BLOB NOT NULL CHECK (length(from_account) = 16),
            to_account BLOB NOT NULL CHECK (length(to_account) = 16),
            state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected')),
            sent_at INTEGER NOT NULL,
            answered_at INTEGER,
            CHECK (from_account <> to_account),
            CHECK ((state = 'pending') = (answered_at IS NULL))
          ) STRICT;
          CREATE UNIQUE INDEX friend_requests_pending
            ON friend_requests (min(from_account, to_account), max(from_account, to_account)) WHERE state = 'pending';
          CREATE INDEX friend_requests_received ON friend_requests (to_account, sequence);
          CREATE INDEX friend_requests_sent ON friend_requests (from_account, sequence);
          """)
    }
  }

  /// A request as it stands in the table.
  struct Stored {
    let id: ID<FriendRequest>
    let from: AccountID
    let to: AccountID
    let state: FriendRequest.State

    func direction(for account: AccountID) -> FriendRequest.Direction? {
      if account == to { return .received }
      return account == from ? .sent : nil
    }
  }

  static func find(_ id: ID<FriendRequest>, in database: Database) throws -> Stored? {
    let statement = try database.cachedStatement(
      sql: "SELECT from_account, to_account, state FROM friend_requests WHERE friend_request_id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map {
      Stored(id: id, from: $0["from_account"], to: $0["to_account"], state: $0["state"])
    }
  }

  /// How an account stands to another.
  static func standing(of account: AccountID, to other: AccountID, in database: Database) throws -> FriendRequestRules.Standing {
    if try FriendStore.areFriends(account, other, in: database) { return .friends }
    let statement = try database.cachedStatement(
      sql: """
        SELECT friend_request_id, from_account FROM friend_requests
        WHERE min(from_account, to_account) = ? AND max(from_account, to_account) = ? AND state = 'pending'
        """)
    let pair = AccountPair(account, other)
    guard let row = try Row.fetchOne(statement, arguments: [pair.low, pair.high]) else { return .strangers }
    let asker: AccountID = row["from_account"]
    return asker == account ? .asking : .asked(row["friend_request_id"])
  }

  /// Notes that an account asks another.
  static func add(from account: AccountID, to other: AccountID, _ transaction: Transaction) throws -> ID<FriendRequest> {
    let id = ID<FriendRequest>()
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO friend_requests (friend_request_id, from_account, to_account, state, sent_at) VALUES (?, ?, ?, 'pending', ?)
        """)
    try statement.execute(arguments: [id, account, other, transaction.now])
    return id
  }

  /// Notes the answer to a waiting request; an accepted one makes its two accounts friends.
  static func answer(_ request: Stored, _ answer: FriendRequest.State, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE friend_requests SET state = ?, answered_at = ? WHERE friend_request_id = ? AND state = 'pending'")
    try statement.execute(arguments: [answer, transaction.now, request.id])
    if answer == .accepted { try FriendStore.add(request.from, request.to, transaction) }
  }

  /// A request as one of its two accounts sees it.
  static func view(_ id: ID<FriendRequest>, for account: AccountID, in database: Database) throws -> FriendRequest {
    let statement = try database.cachedStatement(
      sql: """
        SELECT r.*, a.account_id, a.username, a.nickname FROM friend_requests r
        JOIN accounts a ON a.account_id = iif(r.to_account = :account, r.from_account, r.to_account)
        WHERE r.friend_request_id = :id
        """)
    guard let row = try Row.fetchOne(statement, arguments: ["account": account, "id": id]) else {
      throw Failure(RequestFailure.notFound)
    }
    return FriendRequest(row, for: account)
  }

  /// The requests received and sent, newest first.
  static func list(
    for account: AccountID, direction: FriendRequest.Direction?, state: FriendRequest.State?, _ page: PageRequest,
    in database: Database
  ) throws -> Page<FriendRequest> {
    // Each half walks its own index from the newest on and stops at the page's end.
    let half = { (own: String, other: String) in
      """
      SELECT * FROM (
        SELECT r.*, a.account_id, a.username, a.nickname FROM friend_requests r JOIN accounts a ON a.account_id = r.\(other)
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
    return page.page(of: rows, key: { $0["sequence"] as Int64 }) { FriendRequest($0, for: account) }
  }
}

extension FriendRequestStore {
  /// All requests as events, in the order in which they were sent; see `SnapshotParts`.
  ///
  /// Every request is told as sent, and as accepted too if its two accounts are friends still: whoever counts friendships ends with
  /// those that are. Usernames are those of now.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> (events: [any Event], nextKey: String?) {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT r.*, f.username AS from_username, t.username AS to_username,
          r.state = 'accepted' AND EXISTS (
            SELECT 1 FROM friendships WHERE low_account = min(r.from_account, r.to_account)
              AND high_account = max(r.from_account, r.to_account)) AS holds
        FROM friend_requests r
        JOIN accounts f ON f.account_id = r.from_account JOIN accounts t ON t.account_id = r.to_account
        WHERE r.sequence > ? ORDER BY r.sequence LIMIT ?
        """, arguments: [key.flatMap { Int64($0) } ?? 0, SnapshotParts.pageSize])
    let events = rows.flatMap { row -> [any Event] in
      let sent = FriendRequestSent(
        friendRequestID: row["friend_request_id"], fromAccountID: row["from_account"], fromUsername: row["from_username"],
        toAccountID: row["to_account"], at: row["sent_at"])
      guard row["holds"] else { return [sent] }
      let accepted = FriendRequestAccepted(
        friendRequestID: sent.friendRequestID, fromAccountID: sent.fromAccountID, fromUsername: sent.fromUsername,
        toAccountID: sent.toAccountID, toUsername: row["to_username"], at: row["answered_at"])
      return [sent, accepted]
    }
    let last: Int64? = rows.last?["sequence"]
    return (events, rows.count < SnapshotParts.pageSize ? nil : last?.description)
  }
}

extension FriendRequest {
  fileprivate init(_ row: Row, for account: AccountID) {
    let addressee: AccountID = row["to_account"]
    self.init(
      id: row["friend_request_id"], direction: addressee == account ? .received : .sent, accountID: row["account_id"],
      username: row["username"], nickname: row["nickname"], state: row["state"], sentAt: row["sent_at"],
      answeredAt: row["answered_at"])
  }
}
