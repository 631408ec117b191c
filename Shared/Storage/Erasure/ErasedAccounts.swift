public import GRDB
public import Operations

/// A store's record of an account's erasure.
public struct ErasedAccount: Sendable, Hashable {
  public let account: AccountID
  /// The deletion that the erasure is part of.
  public let deletion: [UInt8]
  /// How much was erased, as JSON.
  public let counts: String
  /// When the erasure began.
  public let erasedAt: Instant
  /// The last event before the erasure began, and the number up to which events were searched.
  public let publishedThrough: Int64
  public let emptiedThrough: Int64
  /// Whether no row of the account is left.
  public let areRowsErased: Bool
  /// Whether no data of the account is left in the files either.
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

/// A request made without signing in, as far as a store can distinguish it from others.
public struct AnonymousRequest: Sendable, Hashable {
  let operation: String
  let at: Instant

  public init(_ operation: String, at: Instant) {
    self.operation = operation
    self.at = at
  }
}

extension Database {
  /// Whether the account's data was erased here, so that none of it may be written any more.
  public func isErased(_ account: AccountID) throws -> Bool {
    try first("SELECT 1 FROM erasures WHERE account_id = ?", .id(account)) { _ in true } ?? false
  }

  /// The erasures that have not been confirmed, the oldest first.
  public func unconfirmedErasures(limit: Int) throws -> [ErasedAccount] {
    try Row.fetchAll(
      cachedStatement(sql: "SELECT * FROM erasures WHERE confirmed_at IS NULL ORDER BY erased_at LIMIT ?"), arguments: [limit]
    ).map(ErasedAccount.init)
  }

  /// The record of the account's erasure; nil if the account was not erased.
  public func erasure(of account: AccountID) throws -> ErasedAccount? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM erasures WHERE account_id = ?"), arguments: [account])
      .map(ErasedAccount.init)
  }

  /// How many events the outbox keeps.
  public func keptEvents() throws -> Int {
    let first = try first("SELECT number FROM outbox ORDER BY number LIMIT 1") { $0.number(0) }
    return try first.map { try Int(Outbox.lastNumber(self)) - $0 + 1 } ?? 0
  }
}

extension Transaction {
  /// Records that the account's data is being erased: from now on ``Database/isErased(_:)`` is true.
  public func noteErasure<Mark>(of account: AccountID, by deletion: ID<Mark>, counts: String) throws {
    try database.cachedStatement(
      sql: "INSERT INTO erasures (account_id, deletion_id, counts, erased_at, published_through) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [account, deletion, counts, now, try Outbox.lastNumber(database)])
  }

  /// Records the progress of the erasure.
  ///
  /// - Parameter isDone: whether no row is left.
  public func noteErased(_ account: AccountID, counts: String, emptiedThrough: Int64? = nil, isDone: Bool = false) throws {
    try database.cachedStatement(
      sql: """
        UPDATE erasures SET counts = ?, emptied_through = coalesce(?, emptied_through), rows_erased_at = ? WHERE account_id = ?
        """
    ).execute(arguments: [counts, emptiedThrough, isDone ? now : nil, account])
  }

  /// Takes that many rows from the number that may be erased in one commit; false if too few are left.
  public func takeErasedRows(_ count: Int, of maximum: Int) -> Bool {
    guard afterwards.erasedRows + count <= maximum else { return false }
    afterwards.erasedRows += count
    return true
  }

  /// Records that no data of the account is left in the files.
  public func noteCleaning(of account: AccountID) throws {
    try database.cachedStatement(
      sql: "UPDATE erasures SET cleaned_at = ? WHERE account_id = ? AND cleaned_at IS NULL AND rows_erased_at IS NOT NULL"
    ).execute(arguments: [now, account])
  }

  /// Records that the erasure was confirmed.
  public func noteConfirmation(of account: AccountID) throws {
    try database.cachedStatement(sql: "UPDATE erasures SET confirmed_at = ? WHERE account_id = ? AND confirmed_at IS NULL")
      .execute(arguments: [now, account])
  }

  /// Empties the events that name the account; they keep their numbers. Subscribers that have not received them ignore them.
  ///
  /// - Parameters:
  ///   - names: events that hold only ids, which subscribers still have to receive.
  ///   - numbers: which events to search.
  /// - Returns: how many were emptied.
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

  /// Deletes the replies recorded for the account's requests, and their draws on the allowance.
  ///
  /// - Returns: how many replies were deleted; at most `limit`.
  public func forgetReplies(to account: AccountID, limit: Int = .max) throws -> Int {
    try database.run("DELETE FROM idempotency_draws WHERE owner = ?", .text(account.description))
    try database.cachedStatement(
      sql: "DELETE FROM idempotency_records WHERE id IN (SELECT id FROM idempotency_records WHERE caller = ? LIMIT ?)"
    ).execute(arguments: [account.description, limit])
    return database.changesCount
  }

  /// Deletes the reply to the account's registration, a request made without signing in.
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
