public import GRDB
public import Logging
public import Messaging
public import Operations
public import Storage

/// One request being handled: its caller, its time, its language, and the ways to act on it.
///
/// A handler gets an ``AccountCall`` if only accounts may call, and an ``OpenCall`` otherwise.
public protocol Call: Sendable {
  /// What both kinds have in common.
  var base: OpenCall { get }
}

/// A call without an account: anyone's, or another service's.
public struct OpenCall: Call {
  public let header: RequestHeader
  /// When the handling of the request began.
  public let now: Instant
  /// Whether its operation may write on a full disk.
  let usesReserve: Bool
  let context: CallContext

  public var base: OpenCall { self }
}

/// A call of a signed-in account, which the service's read model knows if the service keeps one (``Accounts``).
public struct AccountCall: Call {
  public let base: OpenCall
  /// The calling account.
  public let account: AccountID

  /// The call, once the read model holds its account: a user who has just registered may be faster than the event that reports it.
  ///
  /// - Throws: `account_suspended` from the transaction on in which the service learns of a suspension, whatever the gateway knows.
  init(_ call: OpenCall) async throws {
    self = try AccountCall.withoutReadModel(call)
    try await call.context.knownAccounts?.require(account, call)
  }

  private init(_ call: OpenCall, _ account: AccountID) {
    base = call
    self.account = account
  }

  /// The call as it is, for handlers that need no read model.
  static func withoutReadModel(_ call: OpenCall) throws(Failure) -> AccountCall {
    guard call.caller.kind == .account, let account = call.caller.account else { throw Failure(RequestFailure.unauthenticated) }
    return AccountCall(call, account)
  }

  /// The signed-in session; a personal access token has none.
  public var session: SessionID {
    get throws(Failure) {
      guard let session = caller.session else { throw Failure(RequestFailure.unauthenticated) }
      return session
    }
  }
}

extension Call {
  public var header: RequestHeader { base.header }
  /// When the handling of the request began.
  public var now: Instant { base.now }
  public var store: Store { base.context.store }

  /// The service's logger, with the request's metadata.
  public var logger: Logger {
    var logger = base.context.logger
    logger[metadataKey: "requestID"] = .string(header.id)
    logger[metadataKey: "operation"] = .string(header.operation)
    if let trace = header.traceID { logger[metadataKey: "traceID"] = .string(trace) }
    return logger
  }

  public var caller: Caller { header.caller }
  public var language: Language { header.caller.language }

  /// The key that makes a retry of this request harmless; nil unless the caller sent one.
  ///
  /// - Parameter payload: all that the request's effect depends on.
  public func idempotencyKey(payload: [UInt8]) -> IdempotencyKey? {
    header.idempotencyKey.map { key in
      IdempotencyKey(
        caller: base.context.keys.idempotencyScope(caller, operation: header.operation, payload: payload),
        owner: base.context.keys.idempotencyOwner(caller), key: key, operation: header.operation, payload: payload)
    }
  }

  /// Sends a request to another service, in this service's own name, within the time left for the current request.
  ///
  /// - Parameters:
  ///   - target: the service to ask, if not the one that owns the operation.
  ///   - seconds: how long to wait for the answer at most, if not as long as the request has time.
  public func request<O: Operation>(
    _ operation: O.Type, _ input: O.Input, to target: ServiceName? = nil, within seconds: Int? = nil
  ) async throws -> O.Output {
    let deadline = seconds.map { min(header.deadline, base.context.clock.now.adding(seconds: $0)) } ?? header.deadline
    return try await ServiceClient(bus: base.context.bus, service: base.context.service, clock: base.context.clock).request(
      operation, input, to: target, deadline: deadline, traceparent: header.traceparent)
  }

  /// Runs one transaction, which is durable when this returns.
  public func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
    try await store.write(traceparent: header.traceparent, usingReserve: base.usesReserve, body)
  }

  /// Runs one transaction after its preparation; a retry with the same idempotency key repeats neither.
  ///
  /// - Parameters:
  ///   - key: the call's key; nil if it has none.
  ///   - repeated: makes the answer to a retry from the recorded reply.
  ///   - body: returns the answer and what to record: nil if it refuses the request and yet its changes are to stay.
  public func write<Prepared: Sendable, T: Sendable>(
    idempotency key: IdempotencyKey?, prepare: () async throws -> Prepared, repeated: ([UInt8]) async throws -> T,
    _ body: @escaping @Sendable (Prepared, Transaction) throws -> (answer: T, record: [UInt8]?)
  ) async throws -> T {
    guard let key else {
      let prepared = try await prepare()
      return try await write { try body(prepared, $0).answer }
    }
    return try await store.write(
      idempotency: key, traceparent: header.traceparent, usingReserve: base.usesReserve, prepare: prepare, repeated: repeated,
      body)
  }

  /// Reads one consistent view of the store.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await store.read(body)
  }
}

/// Calls other services in the name of one service.
public struct ServiceClient: Sendable {
  let bus: any Bus
  let service: ServiceName
  let clock: Clock

  public init(bus: any Bus, service: ServiceName, clock: Clock) {
    self.bus = bus
    self.service = service
    self.clock = clock
  }

  /// Sends a request to the service that owns the operation (or to `target`) and waits for its output.
  ///
  /// - Throws: the operation's ``Failure``, or `unavailable`, `overloaded`, `timed_out` if the bus has no reply.
  public func request<O: Operation>(
    _ operation: O.Type, _ input: O.Input, to target: ServiceName? = nil, deadline: Instant? = nil, traceparent: String? = nil
  ) async throws -> O.Output {
    let header = RequestHeader(
      id: ID<RequestHeader>().description, operation: O.spec.name, caller: .service(service),
      deadline: deadline ?? clock.now.adding(seconds: 5), traceparent: traceparent)
    let reply: Reply
    do {
      reply = try await bus.request(Request(header: header, body: input.json), to: target ?? O.spec.service)
    } catch {
      throw Failure(error)
    }
    return try reply.output(O.Output.self)
  }
}

extension Failure {
  /// The failure that a caller gets when the bus has no reply: defined once, for the gateway and the services.
  public init(_ failure: BusFailure) {
    switch failure {
    case .unavailable, .cancelled: self.init(RequestFailure.unavailable, retryAfterSeconds: 1)
    case .overloaded: self.init(RequestFailure.overloaded, retryAfterSeconds: 1)
    case .timedOut: self.init(RequestFailure.timedOut)
    case .tooLarge: self.init(RequestFailure.bodyTooLarge, ["limit": .number(JSONLimits().bytes)])
    }
  }
}
