public import GRDB
public import Logging
public import Messaging
public import Operations
public import Sandbox
public import ServiceLifecycle
public import Storage

/// What a service is built from; passed in, so that tests pass their own.
public struct ServiceEnvironment: Sendable {
  public let settings: Settings
  public let home: Home
  public let bus: any Bus
  public let clock: Clock
  public let logger: Logger
  /// The process's metrics as Prometheus text.
  public let metrics: @Sendable () -> String
  /// The executable of the service, which it starts anew as its decoders.
  public let program: String

  public init(
    settings: Settings, home: Home, bus: any Bus, clock: Clock = .system, logger: Logger,
    metrics: @escaping @Sendable () -> String = { "" }, program: String = DecoderProgram.own
  ) {
    self.settings = settings
    self.home = home
    self.bus = bus
    self.clock = clock
    self.logger = logger
    self.metrics = metrics
    self.program = program
  }
}

/// One service: what it serves, hears, tells and keeps. Each service has one function that builds it, shared by its executable
/// and the tests.
public struct ServiceDefinition: Sendable {
  typealias Handler = @Sendable (Request, CallContext) async throws -> HandlerResult
  typealias Effect = @Sendable (LoggedEvent, Transaction) throws -> Void

  public let contract: Contract
  let migrations: [Migration]
  private(set) var handlers: [String: (spec: OperationSpec, handle: Handler)] = [:]
  private(set) var effects: [ServiceName: [String: Effect]] = [:]
  private(set) var snapshot: Store.Snapshot?
  private(set) var runners: [(name: String, make: @Sendable (Store, Pulse) -> any ServiceLifecycle.Service)] = []
  private(set) var keepsAccounts = false
  private(set) var accountWatch = Accounts.Watch()
  private(set) var isVerified: (@Sendable (AccountID, Database) throws -> Bool)?
  private(set) var isInDoubt: (@Sendable (SessionID, Database) throws -> Bool)?
  /// How each table of its store forgets an account.
  public private(set) var erasedTables: [ErasedTable] = []

  /// Names of the operations it serves.
  public var servedOperations: Set<String> { Set(handlers.keys) }

  /// Events it hears, by publisher and name.
  public var subscribedEvents: [(publisher: ServiceName, name: String)] {
    effects.flatMap { publisher, byName in byName.keys.map { (publisher, $0) } }
  }

  /// Whether it can tell its state anew, so that what it told long ago need not be kept.
  public var publishesSnapshot: Bool { snapshot != nil }

  public init(_ contract: Contract, migrations: [Migration]) {
    self.contract = contract
    self.migrations = migrations
  }

  /// Serves a reading operation: the body sees one consistent view of the store.
  public mutating func serve<O: Operation>(
    _ operation: O.Type, read body: @escaping @Sendable (O.Input, Call, Database) throws -> O.Output
  ) {
    serve(operation, prepare: { _, _ in }, read: { input, _, call, database in try body(input, call, database) })
  }

  /// Serves a reading operation that only looks up a few rows by their keys: it is answered where it arrived, without a change of
  /// threads. See `Store.lookUp(_:)`.
  public mutating func serveAtOnce<O: Operation>(
    _ operation: O.Type, _ body: @escaping @Sendable (O.Input, Call, Database) throws -> O.Output
  ) {
    add(operation) { input, call, _ in try call.store.lookUp { try body(input, call, $0) }.json }
  }

  /// Serves a reading operation that has to wait for other things than the store first.
  public mutating func serve<O: Operation, Prepared: Sendable>(
    _ operation: O.Type, prepare: @escaping @Sendable (O.Input, Call) async throws -> Prepared,
    read body: @escaping @Sendable (O.Input, Prepared, Call, Database) throws -> O.Output
  ) {
    add(operation) { input, call, _ in
      let prepared = try await prepare(input, call)
      // Written where it was read: a long list takes its time, and readers have it.
      return try await call.store.read { database in try body(input, prepared, call, database).json }
    }
  }

  /// Serves a changing operation: the body is one transaction, and the idempotency record of the call is part of it.
  ///
  /// - Parameter afterwards: what is done before the answer once the transaction is durable, also when a call is repeated.
  public mutating func serve<O: Operation>(
    _ operation: O.Type, write body: @escaping @Sendable (O.Input, Call, Transaction) throws -> O.Output,
    afterwards: @escaping @Sendable (O.Input, Call) async throws -> Void = { _, _ in }
  ) {
    serve(
      operation, prepare: { _, _ in }, write: { input, _, call, transaction in try body(input, call, transaction) },
      afterwards: afterwards)
  }

  /// Serves a changing operation that has to wait for other things than the store before its transaction, such as another
  /// service's answer. What `prepare` returns is handed to the body; it runs again when a call is repeated, so it changes nothing
  /// that must not change twice.
  public mutating func serve<O: Operation, Prepared: Sendable>(
    _ operation: O.Type, prepare: @escaping @Sendable (O.Input, Call) async throws -> Prepared,
    write body: @escaping @Sendable (O.Input, Prepared, Call, Transaction) throws -> O.Output,
    afterwards: @escaping @Sendable (O.Input, Call) async throws -> Void = { _, _ in }
  ) {
    add(operation, keepsRecord: true) { input, call, request in
      let prepared = try await prepare(input, call)
      let json: [UInt8]
      if O.spec.takesIdempotencyKey, let key = call.idempotencyKey(payload: request.payload) {
        json = try await call.store.write(
          idempotency: key, traceparent: call.header.traceparent, usingReserve: call.usesReserve
        ) { transaction in
          try call.refuseErased(transaction)
          return try body(input, prepared, call, transaction).json
        }
      } else {
        json = try await call.write { transaction in
          try call.refuseErased(transaction)
          return try body(input, prepared, call, transaction)
        }.json
      }
      try await afterwards(input, call)
      return json
    }
  }

  /// Serves a changing operation whose transaction may refuse and yet stay, as one that counts a failed attempt: the failure is thrown
  /// after it, and leaves no idempotency record. Unlike that of ``serve(_:prepare:write:afterwards:)``, `prepare` may change
  /// things, since it does not run again when a call is repeated.
  public mutating func serveAttempt<O: Operation, Prepared: Sendable>(
    _ operation: O.Type, prepare: @escaping @Sendable (O.Input, Call) async throws -> Prepared,
    write body: @escaping @Sendable (O.Input, Prepared, Call, Transaction) throws -> Result<O.Output, Failure>
  ) {
    serveKeyed(operation) { input, key, call in
      try await call.write(
        idempotency: key, prepare: { try await prepare(input, call) }, repeated: { .success(try O.Output.decode($0)) }
      ) { prepared, transaction in
        try call.refuseErased(transaction)
        let result = try body(input, prepared, call, transaction)
        guard case .success(let output) = result else { return (result, record: nil) }
        return (result, record: output.json)
      }.get()
    }
  }

  /// Serves a changing operation that keeps the idempotency record of its calls itself, by
  /// ``Call/write(idempotency:prepare:repeated:_:)``.
  ///
  /// - Parameter body: gets the call's key, nil if it has none.
  public mutating func serveKeyed<O: Operation>(
    _ operation: O.Type, _ body: @escaping @Sendable (O.Input, IdempotencyKey?, Call) async throws -> O.Output
  ) {
    add(operation, keepsRecord: true) { input, call, request in
      let key = O.spec.takesIdempotencyKey ? call.idempotencyKey(payload: request.payload) : nil
      return try await body(input, key, call).json
    }
  }

  /// Serves an operation that must wait for other things than the store; it reads and writes through the call. It keeps no record of
  /// its calls, so it must announce no idempotency key.
  public mutating func serve<O: Operation>(
    _ operation: O.Type, _ body: @escaping @Sendable (O.Input, Call) async throws -> O.Output
  ) {
    add(operation) { input, call, _ in try await body(input, call).json }
  }

  /// Lets an event of another service take effect, exactly once: the listener's cursor moves in the same transaction.
  ///
  /// An effect that throws is tried again until it succeeds, and holds back what follows: an event is never skipped.
  public mutating func subscribe<E: Event>(
    to event: E.Type, _ effect: @escaping @Sendable (E, LoggedEvent, Transaction) throws -> Void
  ) {
    precondition(effects[E.spec.publisher]?[E.spec.name] == nil, "\(E.spec.name) is heard twice")
    effects[E.spec.publisher, default: [:]][E.spec.name] = { logged, transaction in
      try effect(try E.decode(logged.body), logged, transaction)
    }
  }

  /// Tells the state as events to listeners without history.
  public mutating func publishSnapshot(_ snapshot: @escaping Store.Snapshot) { self.snapshot = snapshot }

  /// Runs beside the handlers, for as long as the service does or until its work is done. One that throws is begun anew, and
  /// until it is well again the service is not ready.
  public mutating func run<Worker: ServiceLifecycle.Service>(_ worker: @escaping @Sendable (Store) -> Worker) {
    run { store, _ in worker(store) }
  }

  /// The same for a runner that shows by its pulse that it does not stick.
  public mutating func run<Worker: ServiceLifecycle.Service>(_ worker: @escaping @Sendable (Store, Pulse) -> Worker) {
    runners.append(("\(Worker.self)", { store, pulse in worker(store, pulse) }))
  }

  /// Keeps the read model of accounts, ``Accounts``; its table is one of the service's migrations.
  ///
  /// - Parameters:
  ///   - moved: called in the transaction in which an account comes to count its days in another way.
  ///   - withdrawn: called in the transaction that hears of consents that an account has withdrawn.
  public mutating func keepAccounts(whenMoved moved: Accounts.Moved? = nil, whenWithdrawn withdrawn: Accounts.Withdrawn? = nil) {
    keepsAccounts = true
    accountWatch = Accounts.Watch(moved: moved, withdrawn: withdrawn)
    decideVerified { account, database in try Accounts.find(account, in: database)?.isVerified == true }
    Accounts.subscribe(&self, accountWatch)
  }

  /// Says by the store whether an account is verified, for callers whose tokens may be older than their verification.
  public mutating func decideVerified(_ isVerified: @escaping @Sendable (AccountID, Database) throws -> Bool) {
    self.isVerified = isVerified
  }

  /// Says by the store whether a session is in doubt, see ``DoubtRule``: identity does, whose store knows it.
  public mutating func decideDoubt(_ isInDoubt: @escaping @Sendable (SessionID, Database) throws -> Bool) {
    self.isInDoubt = isInDoubt
  }

  /// Declares how each table of the store forgets an account.
  public mutating func declareErasure(_ tables: [ErasedTable]) {
    precondition(Set(tables.map(\.name)).count == tables.count, "a table is declared once")
    erasedTables = tables
  }

  private mutating func add<O: Operation>(
    _ operation: O.Type, keepsRecord: Bool = false, _ body: @escaping @Sendable (O.Input, Call, Request) async throws -> [UInt8]
  ) {
    precondition(handlers[O.spec.name] == nil, "\(O.spec.name) is served twice")
    // What the documentation promises for repetitions must not be ignored.
    precondition(
      keepsRecord || !O.spec.takesIdempotencyKey, "\(O.spec.name) announces an idempotency key, and keeps no record")
    let created = O.spec.effect == .create
    handlers[O.spec.name] = (
      O.spec,
      { request, context in
        let input = try O.Input.decode(request.body, parameters: request.header.parameters ?? [:])
        return HandlerResult(status: created ? 201 : 200, body: try await body(input, context.call(request, O.spec), request))
      }
    )
  }
}

struct HandlerResult: Sendable {
  let status: Int
  let body: [UInt8]
}

/// What every call of a service shares.
final class CallContext: Sendable {
  let store: Store
  let bus: any Bus
  let service: ServiceName
  let clock: Clock
  let logger: Logger
  let keys: ServiceKeys
  let accountWatch: Accounts.Watch

  init(
    store: Store, bus: any Bus, service: ServiceName, clock: Clock, logger: Logger, keys: ServiceKeys,
    accountWatch: Accounts.Watch
  ) {
    self.store = store
    self.bus = bus
    self.service = service
    self.clock = clock
    self.logger = logger
    self.keys = keys
    self.accountWatch = accountWatch
  }

  func call(_ request: Request, _ spec: OperationSpec) -> Call {
    Call(header: request.header, now: clock.now, usesReserve: spec.usesReserve, context: self)
  }
}

extension Message where Header == RequestHeader {
  /// Everything the input was read from, for comparing repetitions.
  var payload: [UInt8] {
    guard let parameters = header.parameters, !parameters.isEmpty else { return body }
    return body + JSON.object(parameters.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) }).bytes
  }
}
