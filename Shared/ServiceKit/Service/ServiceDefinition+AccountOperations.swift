public import GRDB
public import Operations
public import Storage

// Serving what only accounts may call: handlers get the account as a value.
extension ServiceDefinition {
  /// Serves a reading operation: the body sees one consistent view of the store.
  public mutating func serve<O: AccountOperation>(
    _ operation: O.Type, read body: @escaping @Sendable (O.Input, AccountCall, Database) throws -> O.Output
  ) {
    serve(operation, prepare: { _, _ in }, read: { input, _, call, database in try body(input, call, database) })
  }

  /// Serves a reading operation that only looks up a few rows by their keys. It is answered where it arrived, without a change of threads,
  /// and without asking identity for an account that the read model does not hold yet. See `Store.lookUp(_:)`.
  public mutating func serveAtOnce<O: AccountOperation>(
    _ operation: O.Type, _ body: @escaping @Sendable (O.Input, AccountCall, Database) throws -> O.Output
  ) {
    add(operation) { input, open, _ in
      let call = try AccountCall.withoutReadModel(open)
      return try open.store.lookUp { database in
        try open.context.knownAccounts?.expectUnsuspended(call.account, now: call.now, in: database)
        return try body(input, call, database)
      }.json
    }
  }

  /// Serves a reading operation that first waits for something other than the store.
  public mutating func serve<O: AccountOperation, Prepared: Sendable>(
    _ operation: O.Type, prepare: @escaping @Sendable (O.Input, AccountCall) async throws -> Prepared,
    read body: @escaping @Sendable (O.Input, Prepared, AccountCall, Database) throws -> O.Output
  ) {
    addRead(operation, { try await AccountCall($0) }, prepare: prepare, read: body)
  }

  /// Serves a changing operation: the body is one transaction, and the idempotency record of the call is part of it.
  ///
  /// - Parameters:
  ///   - isLarge: whether the call writes so much that others should not wait for several such calls; those of several accounts take turns.
  ///   - afterwards: what is done before the answer once the transaction is durable, also for a retry.
  public mutating func serve<O: AccountOperation>(
    _ operation: O.Type, write body: @escaping @Sendable (O.Input, AccountCall, Transaction) throws -> O.Output,
    isLarge: @escaping @Sendable (O.Input) -> Bool = { _ in false },
    afterwards: @escaping @Sendable (O.Input, AccountCall) async throws -> Void = { _, _ in }
  ) {
    addWrite(operation, { try await AccountCall($0) }, write: body, isLarge: isLarge, afterwards: afterwards)
  }

  /// Serves a changing operation that waits for something other than the store before its transaction, such as another service's answer.
  /// The result of `prepare` is passed to the body. A retry gets the recorded answer, and prepares nothing. But a process that is killed
  /// between the two leaves no record, so the changes of `prepare` must be repeatable.
  public mutating func serve<O: AccountOperation, Prepared: Sendable>(
    _ operation: O.Type, prepare: @escaping @Sendable (O.Input, AccountCall) async throws -> Prepared,
    write body: @escaping @Sendable (O.Input, Prepared, AccountCall, Transaction) throws -> O.Output,
    isLarge: @escaping @Sendable (O.Input) -> Bool = { _ in false },
    afterwards: @escaping @Sendable (O.Input, AccountCall) async throws -> Void = { _, _ in }
  ) {
    addWrite(
      operation, { try await AccountCall($0) }, prepare: prepare, write: body, isLarge: isLarge, afterwards: afterwards)
  }

  /// Serves a changing operation whose transaction may refuse and yet be committed, such as one that counts a failed attempt: the failure
  /// is thrown after the commit, and leaves no idempotency record.
  public mutating func serveAttempt<O: AccountOperation, Prepared: Sendable>(
    _ operation: O.Type, prepare: @escaping @Sendable (O.Input, AccountCall) async throws -> Prepared,
    write body: @escaping @Sendable (O.Input, Prepared, AccountCall, Transaction) throws -> Result<O.Output, Failure>
  ) {
    addAttempt(operation, { try await AccountCall($0) }, prepare: prepare, write: body)
  }

  /// Serves a changing operation that keeps the idempotency record of its calls itself, by
  /// ``Call/write(idempotency:prepare:repeated:_:)``.
  ///
  /// - Parameter body: gets the call's key, nil if it has none.
  public mutating func serveKeyed<O: AccountOperation>(
    _ operation: O.Type, _ body: @escaping @Sendable (O.Input, IdempotencyKey?, AccountCall) async throws -> O.Output
  ) {
    addKeyed(operation, { try await AccountCall($0) }, body)
  }

  /// Serves an operation that waits for something other than the store; it reads and writes through the call. It keeps no record of its
  /// calls, so it must not announce an idempotency key.
  public mutating func serve<O: AccountOperation>(
    _ operation: O.Type, _ body: @escaping @Sendable (O.Input, AccountCall) async throws -> O.Output
  ) {
    add(operation) { input, open, _ in try await body(input, AccountCall(open)).json }
  }
}
