import Glibc
public import Logging
import Metrics
public import Operations
import Synchronization

/// The bus over ZeroMQ: requests by ROUTER and DEALER, announcements by PUB and SUB.
///
///     let bus = ZeroMQBus(.social, endpoints: .local(directory: home + "/sockets"), logger: logger)
///     bus.serve { request in await dispatch(request) }
///     try bus.start()   // bound: callers reach it from now on
///     await bus.run()   // until it is asked to stop
///
/// A service that does not serve binds nothing, so any number of gateways may run side by side. The wire format is described in
/// `Tests/Messaging/Wire`; all limits are in ``BusLimits``.
///
/// **Restarts.** A stopping service finishes the requests that it has begun and sends the others back; its callers keep those, and new
/// ones, for its successor (``ShutdownHandshake``). Only a request that was certainly not begun is ever sent again. If a connection ends
/// without a reply, as when a process is killed, this is unknown, and the caller gets `unavailable`. So nothing takes effect twice.
///
/// **Clocks.** A request travels with the time it has left, measured when it is given to the connection: neither the clocks of two hosts
/// nor a wait on this side change it. A clock that differs is logged as a warning.
public final class ZeroMQBus: RunnableBus {
  private enum Phase {
    case idle
    case running
    case stopped
  }

  private struct State {
    var phase = Phase.idle
    var handler: (@Sendable (Request) async -> Reply)?
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let service: ServiceName
  private let endpoints: Endpoints
  private let limits: BusLimits
  private let clock: Clock
  private let logger: Logger
  private let metrics: BusMetrics
  private let commandQueue: CommandQueue
  private let executor: BusExecutor
  private let state: Shared<State>
  private let tags = Atomic<UInt64>(1)

  /// A bus for that service; nothing is opened before ``start()``.
  public init(
    _ service: ServiceName, endpoints: Endpoints, limits: BusLimits = BusLimits(), clock: Clock = .system, logger: Logger
  ) {
    self.service = service
    self.endpoints = endpoints
    self.limits = limits
    self.clock = clock
    self.logger = logger
    metrics = BusMetrics()
    commandQueue = CommandQueue(limits: limits)
    executor = BusExecutor(commandQueue)
    state = Shared(State())
  }

  deinit { commandQueue.push(.stop(deadline: 0)) }

  // MARK: - Life

  /// Binds the sockets and begins; does nothing if it has begun. Requests made before get `unavailable`.
  ///
  /// - Throws: ``EndpointFailure`` or ``ZeroMQError`` if the service cannot open its endpoint.
  public func start() throws {
    try state.value.withLock { state in
      guard state.phase == .idle else { return }
      let throttledLog = ThrottledLog(logger)
      let serving = state.handler.map { handler in
        Serving(
          handler: handler, grants: endpoints.curve.map { Grants($0.allowed) }, limits: limits, clock: clock, metrics: metrics,
          throttledLog: throttledLog)
      }
      let loop = try BusLoop(service, endpoints, limits, commandQueue, executor, serving, metrics, throttledLog, logger)
      commandQueue.open()
      state.phase = .running
      startThread(loop)
    }
  }

  private func startThread(_ loop: BusLoop) {
    let shared = state
    let work = ThreadWork {
      loop.run()
      let waiters = shared.value.withLock { state in
        state.phase = .stopped
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    precondition(error == 0, "no thread left for the bus")
    pthread_detach(thread)
  }

  /// Starts the bus if it has not been, and returns once it has stopped. Cancelling the task stops it at once.
  public func run() async throws {
    try start()
    await withTaskCancellationHandler {
      await stopped()
    } onCancel: {
      beginStop(within: .zero)
    }
  }

  /// Begins to stop: new requests are answered `unavailable`, those in flight, in both directions, may end within the given time. Until
  /// then our own handlers may continue to call others.
  public func beginStop(within time: Duration = .seconds(4)) {
    commandQueue.push(.stop(deadline: Monotonic.now + time.inNanoseconds))
  }

  /// Stops as ``beginStop(within:)`` and returns when all is closed.
  public func stop(within time: Duration = .seconds(4)) async {
    beginStop(within: time)
    await stopped()
  }

  private func stopped() async {
    await withCheckedContinuation { continuation in
      let isRunning = state.value.withLock { state in
        if state.phase == .running { state.waiters.append(continuation) }
        return state.phase == .running
      }
      if !isRunning { continuation.resume() }
    }
  }

  // MARK: - Bus

  public func serve(_ handler: @escaping @Sendable (Request) async -> Reply) {
    state.value.withLock { state in
      precondition(state.phase == .idle, "serve before the bus starts")
      state.handler = handler
    }
  }

  public func request(_ request: Request, to service: ServiceName) async throws(BusFailure) -> Reply {
    if Task.isCancelled { throw .cancelled }
    var header = request.header
    // The connection sets these.
    (header.leftMilliseconds, header.sentMilliseconds) = (nil, nil)
    let wire = header.wire
    guard wire.count <= limits.messageBytes, request.body.count <= limits.messageBytes else { throw .tooLarge }
    let milliseconds = request.header.deadline.milliseconds - clock.now.milliseconds
    guard milliseconds > 0 else { throw .timedOut }
    let deadline = Monotonic.now + min(milliseconds, 86_400_000) * 1_000_000
    let tag = tags.add(1, ordering: .relaxed).newValue
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outgoing = OutgoingRequest(
          tag: tag, service: service, header: wire, body: request.body, deadline: deadline, continuation: continuation)
        if let refusal = commandQueue.submit(outgoing) {
          if refusal == .overloaded { metrics.overloaded.increment() }
          continuation.resume(returning: .failure(refusal))
        } else if Task.isCancelled {
          // The handler below may have run before the request was in the queue.
          commandQueue.push(.cancel(tag: tag))
        }
      }
    } onCancel: {
      commandQueue.push(.cancel(tag: tag))
    }
    let raw = try result.get()
    do throws(Failure) {
      let header = try ReplyHeader(wire: raw.header)
      guard header.id == request.header.id || header.id.isEmpty else { throw Failure(RequestFailure.badRequest) }
      return Reply(header: header, body: raw.body)
    } catch {
      metrics.malformed.increment()
      logger.warning("a reply cannot be read", metadata: ["service": "\(service.rawValue)", "code": "\(error.code)"])
      throw .unavailable
    }
  }

  public func announce(_ announcement: Announcement) {
    let body = announcement.body
    guard body.count <= limits.messageBytes, commandQueue.announce(announcement.header.json, body: body) else {
      metrics.announcementsDropped.increment()
      return
    }
  }

  public func announcements(of publisher: ServiceName) -> AsyncStream<Announcement> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Announcement.self, bufferingPolicy: .bufferingNewest(limits.announcements))
    let reader = tags.add(1, ordering: .relaxed).newValue
    let commandQueue = commandQueue
    continuation.onTermination = { _ in commandQueue.push(.unsubscribe(publisher, reader: reader)) }
    if !commandQueue.push(.subscribe(publisher, reader: reader, continuation)) { continuation.finish() }
    return stream
  }

  /// The thread that receives announcements.
  public var eventExecutor: (any TaskExecutor)? { executor }
}

/// A lock that outlives the bus, for its thread, which ends later.
private final class Shared<Value>: Sendable {
  let value: Mutex<Value>
  init(_ value: sending Value) { self.value = Mutex(value) }
}

/// The work that a thread is started with.
private final class ThreadWork {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}
