public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension ConnectionRequestState: DatabaseValueConvertible {}

/// The requests of one kind. At most one waits from one account to another or, for a mutual connection, between two accounts.
enum ConnectionRequestStore<Kind: RequestedConnection> {
  typealias Request = ConnectionRequest<Kind>

  static func migration(_ number: Int, _ name: String) -> Migration {
    Migration(number, name) { database in
      try database.execute(
        sql: """
          CREATE TABLE \(Kind.table) (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            \(Kind.idColumn) BLOB NOT NULL UNIQUE CHECK (length(\(Kind.idColumn)) = 16),
            from_account BLOB NOT NULL CHECK (length(from_account) = 16),
            to_account BLOB NOT NULL CHECK (length(to_account) = 16),
            state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected')),
            sent_at INTEGER NOT NULL,
            answered_at INTEGER,
            CHECK (from_account <> to_account),
            CHECK ((state = 'pending') = (answered_at IS NULL))
          ) STRICT;
          CREATE UNIQUE INDEX \(Kind.table)_pending ON \(Kind.table) (\(pair("from_account", "to_account"))) WHERE state = 'pending';
          CREATE INDEX \(Kind.table)_received ON \(Kind.table) (to_account, sequence);
          CREATE INDEX \(Kind.table)_sent ON \(Kind.table) (from_account, sequence);
          """)
    }
  }

  /// Further states, and hidden requests: a request that an account sends after it was blocked, or that waits when it is blocked, stays
  /// visible to its sender alone, for ever. One request may wait in each direction; for a mutual connection, only one that both can see.
  static func hiddenMigration(_ number: Int, _ name: String) -> Migration {
    Migration(number, name) { database in
      let columns = "sequence, \(Kind.idColumn), from_account, to_account, state, sent_at, answered_at"
      try database.execute(
        sql: """
          CREATE TABLE \(Kind.table)_new (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            \(Kind.idColumn) BLOB NOT NULL UNIQUE CHECK (length(\(Kind.idColumn)) = 16),
            from_account BLOB NOT NULL CHECK (length(from_account) = 16),
            to_account BLOB NOT NULL CHECK (length(to_account) = 16),
            state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected', 'withdrawn', 'expired')),
            sent_at INTEGER NOT NULL,
            -- When it stopped waiting, in whichever way.
            answered_at INTEGER,
            -- Whether the one that it is for never sees it.
            is_hidden INTEGER NOT NULL DEFAULT 0 CHECK (is_hidden IN (0, 1)),
            CHECK (from_account <> to_account),
            CHECK ((state = 'pending') = (answered_at IS NULL))
          ) STRICT;
          INSERT INTO \(Kind.table)_new (\(columns)) SELECT \(columns) FROM \(Kind.table);
          -- Numbers of erased requests are not reused.
          DELETE FROM sqlite_sequence WHERE name = '\(Kind.table)_new';
          INSERT INTO sqlite_sequence (name, seq)
          SELECT '\(Kind.table)_new', seq FROM sqlite_sequence WHERE name = '\(Kind.table)';
          DROP TABLE \(Kind.table);
          ALTER TABLE \(Kind.table)_new RENAME TO \(Kind.table);
          CREATE UNIQUE INDEX \(Kind.table)_pending ON \(Kind.table) (from_account, to_account) WHERE state = 'pending';
          CREATE INDEX \(Kind.table)_received ON \(Kind.table) (to_account, sequence);
          CREATE INDEX \(Kind.table)_sent ON \(Kind.table) (from_account, sequence);
          CREATE INDEX \(Kind.table)_waiting ON \(Kind.table) (sent_at) WHERE state = 'pending';
          """)
      guard Kind.isMutual else { return }
      try database.execute(
        sql: """
          CREATE UNIQUE INDEX \(Kind.table)_between ON \(Kind.table) (\(pair("from_account", "to_account")))
          WHERE state = 'pending' AND is_hidden = 0;
          """)
    }
  }

  /// Finding the requests of one state.
  static func stateMigration(_ number: Int, _ name: String) -> Migration {
    Migration(number, name) { database in
      try database.execute(
        sql: """
          CREATE INDEX \(Kind.table)_received_by_state ON \(Kind.table) (to_account, state, sequence);
          CREATE INDEX \(Kind.table)_sent_by_state ON \(Kind.table) (from_account, state, sequence);
          """)
    }
  }

  /// The pair of accounts of a request, in SQL: without an order for a mutual connection.
  private static func pair(_ from: String, _ to: String) -> String {
    Kind.isMutual ? "min(\(from), \(to)), max(\(from), \(to))" : "\(from), \(to)"
  }

  /// A request of the table.
  struct Stored {
    let id: ID<Request>
    let from: AccountID
    let to: AccountID
    let state: Request.State
    /// Whether the account that it is for never sees it.
    let isHidden: Bool

    /// Nil for an account for which the request does not exist.
    func direction(for account: AccountID) -> Request.Direction? {
      if account == to { return isHidden ? nil : .received }
      return account == from ? .sent : nil
    }
  }

  static func find(_ id: ID<Request>, in database: Database) throws -> Stored? {
    let statement = try database.cachedStatement(
      sql: "SELECT from_account, to_account, state, is_hidden FROM \(Kind.table) WHERE \(Kind.idColumn) = ?")
    return try Row.fetchOne(statement, arguments: [id]).map {
      Stored(
        id: id, from: $0["from_account"], to: $0["to_account"], state: $0["state"], isHidden: $0["is_hidden"])
    }
  }

  /// An account's standing with another. If both have sent a request and one of these is hidden, the other account's request counts.
  static func standing(
    of account: AccountID, to other: AccountID, in database: Database
  ) throws -> ConnectionRequestRules<Kind>.Standing {
    if try Kind.exists(from: account, to: other, in: database) { return .connected }
    if Kind.isMutual, let request = try waiting(from: other, to: account, in: database), !request.isHidden {
      return .asked(request.id)
    }
    return try waiting(from: account, to: other, in: database) == nil ? .strangers : .asking
  }

  /// The request from one account to another that waits.
  private static func waiting(from account: AccountID, to other: AccountID, in database: Database) throws -> Stored? {
    let statement = try database.cachedStatement(
      sql: "SELECT \(Kind.idColumn), is_hidden FROM \(Kind.table) WHERE from_account = ? AND to_account = ? AND state = 'pending'"
    )
    return try Row.fetchOne(statement, arguments: [account, other]).map {
      Stored(id: $0[Kind.idColumn], from: account, to: other, state: .pending, isHidden: $0["is_hidden"])
    }
  }

  /// When the requests from one account to another that were withdrawn or rejected were sent, the newest first: those of the last so many
  /// that the account has sent.
  static func refused(
    from account: AccountID, to other: AccountID, ofLast count: Int = 500, in database: Database
  ) throws -> [Instant] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT sent_at FROM (
          SELECT sequence, to_account, state, sent_at FROM \(Kind.table) WHERE from_account = ? ORDER BY sequence DESC LIMIT ?)
        WHERE to_account = ? AND state IN ('withdrawn', 'rejected') ORDER BY sequence DESC
        """)
    return try Instant.fetchAll(statement, arguments: [account, count, other])
  }

  /// Adds a request.
  ///
  /// - Parameter isHidden: whether the recipient never sees it. Its sender then sees the recipient only under the name that it used.
  static func add(
    from account: AccountID, to other: AccountID, isHidden: Bool, _ transaction: Transaction
  ) throws -> ID<Request> {
    let id = ID<Request>()
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO \(Kind.table) (\(Kind.idColumn), from_account, to_account, state, sent_at, is_hidden, known_username)
        VALUES (?1, ?2, ?3, 'pending', ?4, ?5, (SELECT username FROM accounts WHERE account_id = ?3 AND ?5))
        """)
    try statement.execute(arguments: [id, account, other, transaction.now, isHidden])
    return id
  }

  /// Notes what became of a waiting request; an accepted one connects its two accounts.
  static func end(_ request: Stored, _ state: Request.State, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE \(Kind.table) SET state = ?, answered_at = ? WHERE \(Kind.idColumn) = ? AND state = 'pending'")
    try statement.execute(arguments: [state, transaction.now, request.id])
    if !request.isHidden, state == .withdrawn || state == .expired {
      try transaction.publish(Kind.ended(request.id, to: request.to, state, at: transaction.now))
    }
    guard state == .accepted else { return }
    try Kind.begin(from: request.from, to: request.to, transaction)
    // What the other had asked for too, without being seen, has come about.
    if Kind.isMutual, let crossing = try waiting(from: request.to, to: request.from, in: transaction.database) {
      try statement.execute(arguments: [state, transaction.now, crossing.id])
    }
  }

  /// Withdraws the blocker's requests to the blocked account, and hides those in the other direction; see ``BlockClosing``.
  @Sendable
  static func close(_ blocker: AccountID, _ blocked: AccountID, _ transaction: Transaction) throws {
    if let request = try waiting(from: blocker, to: blocked, in: transaction.database) {
      try end(request, .withdrawn, transaction)
    }
    let statement = try transaction.database.cachedStatement(
      sql: """
        UPDATE \(Kind.table) SET is_hidden = 1, \(KnownNameStore.keep("to_account"))
        WHERE from_account = ? AND to_account = ? AND state = 'pending' AND is_hidden = 0
        """)
    try statement.execute(arguments: [blocked, blocker])
  }

  /// Ends requests that have waited for too long, the oldest first, and publishes what that changes. Returns how many they were.
  static func expire(_ life: ConnectionRequestLife, limit: Int, _ transaction: Transaction) throws -> Int {
    let statement = try transaction.database.cachedStatement(
      sql: """
        SELECT \(Kind.idColumn), from_account, to_account, is_hidden FROM \(Kind.table)
        WHERE state = 'pending' AND sent_at <= ? ORDER BY sent_at LIMIT ?
        """)
    let due = try Row.fetchAll(statement, arguments: [life.end(at: transaction.now), limit])
    for row in due {
      let request = Stored(
        id: row[Kind.idColumn], from: row["from_account"], to: row["to_account"], state: .pending, isHidden: row["is_hidden"])
      try end(request, .expired, transaction)
      try RelationStore.publish(request.from, request.to, transaction)
    }
    return due.count
  }

  /// A request as the account `:account` sees it, with the other as `a`.
  private static var columns: String {
    "r.*, a.account_id, \(KnownNameStore.columns(of: "r", isSender: "r.from_account = :account", for: ":account"))"
  }

  /// A request as one of its two accounts sees it.
  static func view(_ id: ID<Request>, for account: AccountID, in database: Database) throws -> Request {
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(columns) FROM \(Kind.table) r JOIN accounts a ON a.account_id = iif(r.to_account = :account, r.from_account, r.to_account)
        WHERE r.\(Kind.idColumn) = :id
        """)
    guard let row = try Row.fetchOne(statement, arguments: ["account": account, "id": id]) else {
      throw Failure(RequestFailure.notFound)
    }
    return Request(row, for: account)
  }

  /// The received and sent requests, newest first. A blocker sees none with the blocked account; the blocked one sees those that waited and
  /// those that it has sent since, and notices nothing. Requests with suspended accounts are left out.
  static func list(
    for account: AccountID, direction: Request.Direction?, state: Request.State?, _ page: PageRequest, now: Instant,
    in database: Database
  ) throws -> Page<Request> {
    // Each half walks its own index from the newest on and stops at the page's end: another one where the state is asked for.
    let filter = state == nil ? "" : "AND r.state = :state"
    let half = { (own: String, other: String, condition: String) in
      """
      SELECT * FROM (
        SELECT \(columns) FROM \(Kind.table) r JOIN accounts a ON a.account_id = r.\(other)
        WHERE r.\(own) = :account AND r.sequence < :before \(filter)
          AND NOT \(BlockStore.exists(by: ":account", of: "r.\(other)")) \(condition)
            AND \(Accounts.isShown("a", at: ":now"))
        ORDER BY r.sequence DESC LIMIT :limit)
      """
    }
    let received = half(
      "to_account", "from_account", "AND r.is_hidden = 0 AND NOT \(BlockStore.exists(by: "r.from_account", of: ":account"))")
    let sent = half(
      "from_account", "to_account", "AND (r.is_hidden = 1 OR \(ShownPersonStore.isFound("r.to_account", for: ":account")))")
    let sql =
      switch direction {
      case .received: received
      case .sent: sent
      case nil: "\(received) UNION ALL \(sent) ORDER BY sequence DESC LIMIT :limit"
      }
    var arguments: StatementArguments = try ["account": account, "before": page.before, "limit": page.fetchLimit, "now": now]
    if let state { arguments += ["state": state] }
    let rows = try Row.fetchAll(try database.cachedStatement(sql: sql), arguments: arguments)
    return page.page(of: rows, key: { $0["sequence"] as Int64 }) { Request($0, for: account) }
  }

  /// All requests as events, in the order in which they were sent, except hidden ones; see `SnapshotParts`. Usernames are the current ones.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT r.*, f.username AS from_username, t.username AS to_username,
          r.state = 'accepted' AND \(Kind.isPublishedAsAccepted) AS is_published_accepted
        FROM \(Kind.table) r
        JOIN accounts f ON f.account_id = r.from_account JOIN accounts t ON t.account_id = r.to_account
        WHERE r.sequence > ? AND r.is_hidden = 0 ORDER BY r.sequence LIMIT ?
        """, arguments: [key.flatMap { Int64($0) } ?? 0, SnapshotParts.pageSize])
    let events = rows.flatMap { row -> [any Event] in
      let id: ID<Request> = row[Kind.idColumn]
      let from = Party(id: row["from_account"], username: row["from_username"])
      let to = Party(id: row["to_account"], username: row["to_username"])
      let sent = Kind.sent(id, from: from, to: to, at: row["sent_at"])
      switch row["state"] as Request.State {
      case .accepted:
        return row["is_published_accepted"] ? [sent, Kind.accepted(id, from: from, to: to, at: row["answered_at"])] : [sent]
      case .withdrawn, .expired: return [sent, Kind.ended(id, to: to.id, row["state"], at: row["answered_at"])]
      case .pending, .rejected: return [sent]
      }
    }
    return SnapshotParts.page(events, of: rows) { $0["sequence"] as Int64 }
  }
}

extension ConnectionRequest where Wish: RequestedConnection {
  fileprivate init(_ row: Row, for account: AccountID) {
    let addressee: AccountID = row["to_account"]
    self.init(
      id: row[Wish.idColumn], direction: addressee == account ? .received : .sent, accountID: row["account_id"],
      username: row["username"], nickname: row["nickname"],
      photoURL: row.photoURL(of: "account_id"), state: row["state"], sentAt: row["sent_at"],
      answeredAt: row["answered_at"])
  }
}
