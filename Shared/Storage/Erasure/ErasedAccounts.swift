public import GRDB
public import Operations

/// An account's erasure as a store keeps it.
public struct ErasedAccount: Sendable, Hashable {
  public let account: AccountID
  /// The deletion that it is part of.
  public let deletion: [UInt8]
  /// How much was erased, as JSON.
  public let counts: String
  /// When it began.
  public let erasedAt: Instant
  /// The last event before it began, and how far events were looked through.
  public let publishedThrough: Int64
  public let emptiedThrough: Int64
  /// Whether no row of it is left.
  public let areRowsErased: Bool
  /// Whether nothing of it is left in the files either.
  public let isCleaned: Bool

  fileprivate init(_ row: Row) {
    account = row["account_id"]
    deletion = (row["deletion_id"] as ID<Never>).bytes
    counts = row["counts"]
    erasedAt = row["erased_at"]
    publishedThrough = row["published_through"]
    emptiedThrough = row["emptied_through"]
    areRowsErased = row["rows_erased_at"] != nil
    isCleaned = row["cleaned_at"] != nil
  }
}

/// A request that nobody signed in made, as far as a store can distinguish it from others.
public struct AnonymousRequest: Sendable, Hashable {
  let operation: String
  let at: Instant

  public init(_ operation: String, at: Instant) {
    self.operation = operation
    self.at = at
  }
}

extension Database {
  /// Whether the account's data was erased here, so that nothing of it may be written any more.
  public func isErased(_ account: AccountID) throws -> Bool {
    try first("SELECT 1 FROM erasures WHERE account_id = ?", .id(account)) { _ in true } ?? false
  }

  /// The erasures that have not been confirmed, the oldest first.
  public func unconfirmedErasures(limit: Int) throws -> [ErasedAccount] {
    try Row.fetchAll(
      cachedStatement(sql: "SELECT * FROM erasures WHERE confirmed_at IS NULL ORDER BY erased_at LIMIT ?"), arguments: [limit]
    ).map(ErasedAccount.init)
  }

  /// The account's erasure as it stands; nil where it was not erased.
  public func erasure(of account: AccountID) throws -> ErasedAccount? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM erasures WHERE account_id = ?"), arguments: [account])
      .map(ErasedAccount.init)
  }

  /// How many events are kept.
  public func keptEvents() throws -> Int {
    let first = try first("SELECT number FROM outbox ORDER BY number LIMIT 1") { $0.number(0) }
    return try first.map { try Int(Outbox.lastNumber(self)) - $0 + 1 } ?? 0
  }
}

extension Transaction {
  /// Notes that the account's data is being erased: from here on ``Database/isErased(_:)``.
  public func noteErasure<Mark>(of account: AccountID, by deletion: ID<Mark>, counts: String) throws {
    try database.cachedStatement(
      sql: "INSERT INTO erasures (account_id, deletion_id, counts, erased_at, published_through) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [account, deletion, counts, now, try Outbox.lastNumber(database)])
  }

  /// Notes how far the erasure has come.
  ///
  /// - Parameter isDone: whether no row is left.
  public func noteErased(_ account: AccountID, counts: String, emptiedThrough: Int64? = nil, isDone: Bool = false) throws {
    try database.cachedStatement(
      sql: """
        UPDATE erasures SET counts = ?, emptied_through = coalesce(?, emptied_through), rows_erased_at = ? WHERE account_id = ?
        """
    ).execute(arguments: [counts, emptiedThrough, isDone ? now : nil, account])
  }

  /// Takes so many rows of what may be erased in one commit; false where that is used up.
  public func takeErasedRows(_ count: Int, of maximum: Int) -> Bool {
    guard afterwards.erasedRows + count <= maximum else { return false }
    afterwards.erasedRows += count
    return true
  }

  /// Notes that nothing of the account is left in the files.
  public func noteCleaning(of account: AccountID) throws {
    try database.cachedStatement(
      sql: "UPDATE erasures SET cleaned_at = ? WHERE account_id = ? AND cleaned_at IS NULL AND rows_erased_at IS NOT NULL"
    ).execute(arguments: [now, account])
  }

  /// Notes that the erasure was confirmed.
  public func noteConfirmation(of account: AccountID) throws {
    try database.cachedStatement(sql: "UPDATE erasures SET confirmed_at = ? WHERE account_id = ? AND confirmed_at IS NULL")
      .execute(arguments: [now, account])
  }

  /// Empties the events that name the account; they keep their numbers. Subscribers that lack them ignore them.
  ///
  /// - Parameters:
  ///   - names: events that hold ids alone, which others still have to receive.
  ///   - numbers: of which events.
  /// - Returns: how many.
  public func emptyEvents(
    naming account: AccountID, except names: Set<String>, in numbers: ClosedRange<Int64> = 0...Int64.max
  ) throws -> Int {
    let kept = names.sorted().map { $0.databaseValue }
    let marks = Array(repeating: "?", count: kept.count + 1).joined(separator: ", ")
    try database.execute(
      sql: """
        UPDATE outbox SET name = 'events.erased', traceparent = NULL, body = x'7B7D'
        WHERE number BETWEEN ? AND ? AND name NOT IN (\(marks)) AND instr(body, CAST(? AS BLOB)) > 0
        """,
      arguments: StatementArguments(
        [numbers.lowerBound.databaseValue, numbers.upperBound.databaseValue, "events.erased".databaseValue] + kept
          + [account.description.databaseValue]))
    return database.changesCount
  }

  /// Forgets replies recorded for the account's requests, and what was drawn for them.
  ///
  /// - Returns: how many replies; no more than `limit`.
  public func forgetReplies(to account: AccountID, limit: Int = .max) throws -> Int {
    try database.run("DELETE FROM idempotency_draws WHERE owner = ?", .text(account.description))
    try database.cachedStatement(
      sql: "DELETE FROM idempotency_records WHERE id IN (SELECT id FROM idempotency_records WHERE caller = ? LIMIT ?)"
    ).execute(arguments: [account.description, limit])
    return database.changesCount
  }

  /// Forgets the reply to the account's registration, which nobody signed in asked for.
  public func forgetReply(to registration: AnonymousRequest) throws {
    try database.cachedStatement(
      sql: """
        DELETE FROM idempotency_records
        WHERE at = ? AND caller >= 'anonymous ' AND caller < 'anonymous!' AND (operation = ? OR operation IS NULL)
        """
    ).execute(arguments: [registration.at, registration.operation])
    try database.run("DELETE FROM idempotency_draws WHERE at = ? AND owner LIKE 'anonymous %'", .instant(registration.at))
  }
}
