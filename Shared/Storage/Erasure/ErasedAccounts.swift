public import GRDB
public import Operations

/// An account's erasure as a store keeps it.
public struct ErasedAccount: Sendable, Hashable {
  public let account: AccountID
  /// The deletion that it is part of.
  public let deletion: [UInt8]
  /// How much was erased, as JSON.
  public let counts: String
  /// Whether nothing of it is left in the files either.
  public let isCleaned: Bool
}

/// A request that nobody signed in made, as far as a store can tell it from others.
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
      cachedStatement(
        sql: """
          SELECT account_id, deletion_id, counts, cleaned_at FROM erasures WHERE confirmed_at IS NULL ORDER BY erased_at LIMIT ?
          """), arguments: [limit]
    ).map { row in
      ErasedAccount(
        account: row["account_id"], deletion: (row["deletion_id"] as ID<Never>).bytes, counts: row["counts"],
        isCleaned: row["cleaned_at"] != nil)
    }
  }
}

extension Transaction {
  /// Notes that the account's data was erased.
  public func noteErasure<Mark>(of account: AccountID, by deletion: ID<Mark>, counts: String) throws {
    try database.cachedStatement(
      sql: "INSERT INTO erasures (account_id, deletion_id, counts, erased_at) VALUES (?, ?, ?, ?)"
    ).execute(arguments: [account, deletion, counts, now])
  }

  /// Notes that nothing of the account is left in the files.
  public func noteCleaning(of account: AccountID) throws {
    try database.cachedStatement(sql: "UPDATE erasures SET cleaned_at = ? WHERE account_id = ? AND cleaned_at IS NULL")
      .execute(arguments: [now, account])
  }

  /// Notes that the erasure was confirmed.
  public func noteConfirmation(of account: AccountID) throws {
    try database.cachedStatement(sql: "UPDATE erasures SET confirmed_at = ? WHERE account_id = ? AND confirmed_at IS NULL")
      .execute(arguments: [now, account])
  }

  /// Empties the events told so far that name the account; they keep their numbers. Listeners that lack them pass over them.
  ///
  /// - Parameter names: events that hold ids alone, which others still have to hear.
  /// - Returns: how many.
  public func emptyEvents(naming account: AccountID, except names: Set<String>) throws -> Int {
    let kept = names.sorted().map { $0.databaseValue }
    let marks = Array(repeating: "?", count: kept.count + 1).joined(separator: ", ")
    try database.execute(
      sql: """
        UPDATE outbox SET name = 'events.erased', traceparent = NULL, body = x'7B7D'
        WHERE name NOT IN (\(marks)) AND instr(body, CAST(? AS BLOB)) > 0
        """,
      arguments: StatementArguments(["events.erased".databaseValue] + kept + [account.description.databaseValue]))
    return database.changesCount
  }

  /// Forgets the replies recorded for the account's requests.
  ///
  /// - Parameter registration: which nobody signed in asked for; the reply to it goes too.
  public func forgetReplies(to account: AccountID, registration: AnonymousRequest? = nil) throws {
    try database.cachedStatement(sql: "DELETE FROM idempotency_records WHERE caller = ?").execute(arguments: [
      account.description
    ])
    guard let registration else { return }
    try database.cachedStatement(
      sql: """
        DELETE FROM idempotency_records WHERE at = ? AND caller LIKE 'anonymous %' AND (operation = ? OR operation IS NULL)
        """
    ).execute(arguments: [registration.at, registration.operation])
  }
}
