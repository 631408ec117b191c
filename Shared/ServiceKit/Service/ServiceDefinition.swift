public import GRDB
import IdentityContract
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
  /// The executable of the service, which it also starts as its decoders.
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

/// One service: what it serves, subscribes to, publishes and stores. Each service has one function that builds it, shared by its executable
/// and the tests.
public struct ServiceDefinition: Sendable {
  typealias Handler = @Sendable (Request, CallContext) async throws -> HandlerResult

  public let contract: Contract
  /// The steps of its store's schema, in order.
  public let migrations: [Migration]
  private(set) var handlers: [String: (spec: OperationSpec, handle: Handler)] = [:]
  private(set) var effects: [ServiceName: [String: any EventEffects]] = [:]
  /// The subscribed events, by publisher, with which a service with an empty store begins, as far as they are in the publisher's state.
  public private(set) var stateEvents: [ServiceName: Set<String>] = [:]
  private(set) var snapshot: Store.Snapshot?
  private(set) var runners: [(name: String, make: @Sendable (Store, Pulse) -> any ServiceLifecycle.Service)] = []
  /// The accounts that are known to be in the read model; nil if the service keeps none.
  private(set) var knownAccounts: KnownAccounts?
  /// The features and caches that follow the changes of accounts, for ``AccountsFeature``.
  var accountWatch = Accounts.Watch()
  private(set) var isVerified: (@Sendable (AccountID, Database) throws -> Bool)?
  private(set) var isInDoubt: (@Sendable (SessionID, Database) throws -> Bool)?
  private(set) var belongsToPartner: (@Sendable (AccountID, CallerRule, Database) throws -> Bool)?
  /// The limits of its store.
  public var storeLimits = StoreLimits()
  /// How each table of its store forgets an account.
  public private(set) var erasedTables: [ErasedTable] = []

  /// The names of the operations that the service serves.
  public var servedOperations: Set<String> { Set(handlers.keys) }

  /// The events that the service subscribes to, by publisher and name; a renamed one by each of its names.
  public var subscribedEvents: [(publisher: ServiceName, name: String)] {
    effects.flatMap { publisher, byName in byName.keys.map { (publisher, $0) } }
  }

  /// Whether the service can publish its state again, so that old events need not be kept.
  public var publishesSnapshot: Bool { snapshot != nil }

  public init(_ contract: Contract, migrations: [Migration]) {
    self.contract = contract
    self.migrations = migrations
  }

  /// Subscribes to an event of another service, which takes effect exactly once: the subscriber's cursor moves in the same transaction.
  ///
  /// An effect that throws is retried until it succeeds, and holds back later events: an event is never skipped. Several features may
  /// subscribe to the same event: their effects are one transaction, in the order in which they subscribed.
  ///
  /// - Parameter needsState: whether a service with an empty store begins with such events from the publisher's state. False for events
  ///   that matter only when they happen; a service that received events before, and has to begin again, gets them all the same, since it
  ///   may have missed some.
  public mutating func subscribe<E: Event>(
    to event: E.Type, needsState: Bool = true, _ effect: @escaping @Sendable (E, LoggedEvent, Transaction) throws -> Void
  ) {
    if needsState { stateEvents[E.spec.publisher, default: []].formUnion(E.spec.names) }
    for name in E.spec.names {
      let others = effects[E.spec.publisher]?[name]
      let known = others as? EffectsOfEvent<E>
      precondition(others == nil || known != nil, "two events are called \(name)")
      effects[E.spec.publisher, default: [:]][name] = EffectsOfEvent(effects: (known?.effects ?? []) + [effect])
    }
  }

  /// Publishes the state as events to subscribers without history.
  public mutating func publishSnapshot(_ snapshot: @escaping Store.Snapshot) { self.snapshot = snapshot }

  /// Runs a worker alongside the handlers, for as long as the service runs or until the work is done. A worker that throws is restarted;
  /// until it is healthy again, the service is not ready.
  public mutating func run<Worker: ServiceLifecycle.Service>(_ worker: @escaping @Sendable (Store) -> Worker) {
    run { store, _ in worker(store) }
  }

  /// The same for a runner that shows by its pulse that it is not stuck.
  public mutating func run<Worker: ServiceLifecycle.Service>(_ worker: @escaping @Sendable (Store, Pulse) -> Worker) {
    runners.append(("\(Worker.self)", { store, pulse in worker(store, pulse) }))
  }

  /// Keeps the read model of accounts; see ``AccountsFeature``.
  mutating func keepAccounts() {
    let known = KnownAccounts()
    knownAccounts = known
    accountWatch.known = known
    let watch = accountWatch
    decideVerified { account, database in try Accounts.find(account, in: database)?.isVerified == true }
    subscribe(to: AccountChanged.self) { event, _, transaction in try Accounts.keep(event, transaction, watch) }
  }

  /// Sets how the store decides whether an account is verified, for callers whose tokens may be older than their verification.
  public mutating func decideVerified(_ isVerified: @escaping @Sendable (AccountID, Database) throws -> Bool) {
    self.isVerified = isVerified
  }

  /// Sets how the store decides whether a session is in doubt, see ``DoubtRule``. Identity does so, since its store knows.
  public mutating func decideDoubt(_ isInDoubt: @escaping @Sendable (SessionID, Database) throws -> Bool) {
    self.isInDoubt = isInDoubt
  }

  /// Sets how the store decides whether an account may call operations for a partner's owner or clerk. Rewards does so, since its store
  /// knows. Without it no account may.
  public mutating func decidePartner(_ belongs: @escaping @Sendable (AccountID, CallerRule, Database) throws -> Bool) {
    belongsToPartner = belongs
  }

  /// Declares how each table of the store forgets an account.
  public mutating func declareErasure(_ tables: [ErasedTable]) {
    precondition(Set(tables.map(\.name)).count == tables.count, "a table is declared once")
    erasedTables = tables
  }

  mutating func add<O: Operation>(
    _ operation: O.Type, keepsRecord: Bool = false,
    _ body: @escaping @Sendable (O.Input, OpenCall, Request) async throws -> [UInt8]
  ) {
    precondition(handlers[O.spec.name] == nil, "\(O.spec.name) is served twice")
    precondition((operation is any AccountOperation.Type) == O.spec.caller.isAccount, "\(O.spec.name) is of the other kind")
    // The documentation's promise for retries must be kept.
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

/// What all calls of a service share.
final class CallContext: Sendable {
  let store: Store
  let bus: any Bus
  let service: ServiceName
  let clock: Clock
  let logger: Logger
  let keys: ServiceKeys
  let accountWatch: Accounts.Watch
  /// Nil if the service keeps no read model of accounts.
  let knownAccounts: KnownAccounts?

  init(
    store: Store, bus: any Bus, service: ServiceName, clock: Clock, logger: Logger, keys: ServiceKeys,
    accountWatch: Accounts.Watch, knownAccounts: KnownAccounts?
  ) {
    self.store = store
    self.bus = bus
    self.service = service
    self.clock = clock
    self.logger = logger
    self.keys = keys
    self.accountWatch = accountWatch
    self.knownAccounts = knownAccounts
  }

  func call(_ request: Request, _ spec: OperationSpec) -> OpenCall {
    OpenCall(header: request.header, now: clock.now, usesReserve: spec.usesReserve, context: self)
  }
}

extension Message where Header == RequestHeader {
  /// Everything the input was read from, for comparing retries.
  var payload: [UInt8] {
    guard let parameters = header.parameters, !parameters.isEmpty else { return body }
    return body + JSON.object(parameters.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) }).bytes
  }
}
