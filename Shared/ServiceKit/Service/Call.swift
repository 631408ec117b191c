public import GRDB
public import Logging
public import Messaging
public import Operations
public import Storage

/// One request being handled: who asks, when, in which language, and the ways to act on it.
public struct Call: Sendable {
  public let header: RequestHeader
  /// When the request was taken up.
  public let now: Instant
  /// Whether its operation may write where the disk is full.
  let usesReserve: Bool
  let context: CallContext

  public var store: Store { context.store }

  /// The service's logger, naming the request.
  public var logger: Logger {
    var logger = context.logger
    logger[metadataKey: "requestID"] = .string(header.id)
    logger[metadataKey: "operation"] = .string(header.operation)
    if let trace = header.traceID { logger[metadataKey: "traceID"] = .string(trace) }
    return logger
  }

  public var caller: Caller { header.caller }
  public var language: Language { header.caller.language }

  /// The signed-in account. Dispatch has refused everyone else where the operation asks for an account.
  public var account: AccountID {
    get throws(Failure) {
      guard header.caller.kind == .account, let account = header.caller.account else {
        throw Failure(RequestFailure.unauthenticated)
      }
      return account
    }
  }

  /// The signed-in session.
  public var session: SessionID {
    get throws(Failure) {
      guard header.caller.kind == .account, let session = header.caller.session else {
        throw Failure(RequestFailure.unauthenticated)
      }
      return session
    }
  }

  /// What makes a repetition of this request harmless; nil unless the caller asks for it.
  ///
  /// - Parameter payload: all that the request's effect depends on.
  public func idempotencyKey(payload: [UInt8]) -> IdempotencyKey? {
    header.idempotencyKey.map { key in
      IdempotencyKey(
        caller: context.keys.idempotencyScope(caller, operation: header.operation, payload: payload),
        owner: context.keys.idempotencyOwner(caller), key: key, operation: header.operation, payload: payload)
    }
  }

  /// Asks another service, in this one's own name, within what is left of the request's time.
  ///
  /// - Parameters:
  ///   - target: whom to ask, if not the service that owns the operation.
  ///   - seconds: how long to wait for the answer at most, if not as long as the request has time.
  public func request<O: Operation>(
    _ operation: O.Type, _ input: O.Input, to target: ServiceName? = nil, within seconds: Int? = nil
  ) async throws -> O.Output {
    let deadline = seconds.map { min(header.deadline, context.clock.now.adding(seconds: $0)) } ?? header.deadline
    return try await ServiceClient(bus: context.bus, service: context.service, clock: context.clock).request(
      operation, input, to: target, deadline: deadline, traceparent: header.traceparent)
  }

  /// One transaction, durable when it returns.
  public func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
    try await store.write(traceparent: header.traceparent, usingReserve: usesReserve, body)
  }

  /// One transaction after what prepares it, neither of which is done again when a call with an idempotency key is repeated.
  ///
  /// - Parameters:
  ///   - key: the call's, nil if it has none.
  ///   - repeated: makes the answer to a repetition of what was recorded.
  ///   - body: answers, and says what is to be recorded: nothing where it refuses, and yet what it wrote is to stay.
  public func write<Prepared: Sendable, T: Sendable>(
    idempotency key: IdempotencyKey?, prepare: () async throws -> Prepared, repeated: ([UInt8]) async throws -> T,
    _ body: @escaping @Sendable (Prepared, Transaction) throws -> (answer: T, record: [UInt8]?)
  ) async throws -> T {
    guard let key else {
      let prepared = try await prepare()
      return try await write { try body(prepared, $0).answer }
    }
    return try await store.write(
      idempotency: key, traceparent: header.traceparent, usingReserve: usesReserve, prepare: prepare, repeated: repeated, body)
  }

  /// One consistent view of the store.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await store.read(body)
  }
}

/// Calls other services in the name of one.
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
  /// What a caller is told when the bus has no reply: the one place that says it, for the gateway as for services.
  public init(_ failure: BusFailure) {
    switch failure {
    case .unavailable, .cancelled: self.init(RequestFailure.unavailable, retryAfterSeconds: 1)
    case .overloaded: self.init(RequestFailure.overloaded, retryAfterSeconds: 1)
    case .timedOut: self.init(RequestFailure.timedOut)
    case .tooLarge: self.init(RequestFailure.bodyTooLarge, ["limit": .number(JSONLimits().bytes)])
    }
  }
}
