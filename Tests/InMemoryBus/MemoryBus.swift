public import Messaging
public import Operations
import Synchronization

/// The bus inside one process: the same promises as `ZeroMQBus` without sockets.
///
///     let exchange = MemoryExchange()
///     let social = MemoryBus(.social, on: exchange)
///     social.serve { request in await dispatch(request) }
///     let reply = try await MemoryBus(.gateway, on: exchange).request(request, to: .social)
public final class MemoryBus: RunnableBus {
  private let service: ServiceName
  private let exchange: MemoryExchange
  private let limits: BusLimits
  private let clock: Clock
  private let number: UInt64
  /// Ends when the bus has left the exchange.
  private let life: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation

  /// A bus for that service; it takes part at once.
  public init(_ service: ServiceName, on exchange: MemoryExchange, limits: BusLimits = BusLimits(), clock: Clock = .system) {
    self.service = service
    self.exchange = exchange
    self.limits = limits
    self.clock = clock
    number = exchange.state.withLock { $0.nextNumber() }
    (life, end) = AsyncStream.makeStream()
  }

  public func start() {}

  public func run() async { for await _ in life {} }

  public func beginStop(within time: Duration) { stop() }

  /// Leaves the exchange: callers that wait get `unavailable`, streams end.
  public func stop() {
    let (waiters, readers) = exchange.state.withLock { state -> ([Waiter], [AsyncStream<Announcement>.Continuation]) in
      let isServer = state.servers[service]?.bus == number
      if isServer { state.servers[service] = nil }
      let ended = state.waiting.filter { $0.value.caller == number || isServer && $0.value.service == service }
      for key in ended.keys { state.waiting[key] = nil }
      var readers: [AsyncStream<Announcement>.Continuation] = []
      for (publisher, all) in state.readers {
        readers += all.values.filter { $0.bus == number }.map(\.continuation)
        state.readers[publisher] = all.filter { $0.value.bus != number }
      }
      return (ended.values.map(\.waiter), readers)
    }
    for waiter in waiters { waiter.finish(.failure(.unavailable)) }
    for reader in readers { reader.finish() }
    end.finish()
  }

  public func serve(_ handler: @escaping @Sendable (Request) async -> Reply) {
    exchange.state.withLock { $0.servers[service] = MemoryExchange.Server(bus: number, handler: handler) }
  }

  public func request(_ request: Request, to service: ServiceName) async throws(BusFailure) -> Reply {
    if Task.isCancelled { throw .cancelled }
    guard request.body.count <= limits.messageBytes else { throw .tooLarge }
    let milliseconds = request.header.deadline.milliseconds - clock.now.milliseconds
    guard milliseconds > 0 else { throw .timedOut }
    let waiter = Waiter()
    let admission = exchange.state.withLock { state -> Result<(UInt64, MemoryExchange.Server), BusFailure> in
      guard let server = state.servers[service] else { return .failure(.unavailable) }
      guard state.waiting.count < limits.requestsInFlight else { return .failure(.overloaded) }
      let key = state.nextNumber()
      state.waiting[key] = (waiter, service, number)
      return .success((key, server))
    }
    let (key, server) = try admission.get()
    let exchange = exchange
    // Neither is a child of this task: a caller's cancellation or deadline ends its waiting, not the request.
    Task { await self.answer(request, as: key, server, of: service) }
    let timer = Task {
      guard (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil else { return }  // the reply came first
      exchange.finish(key, .failure(.timedOut))
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      await waiter.result()
    } onCancel: {
      exchange.finish(key, .failure(.cancelled))
    }.get()
  }

  /// The serving side: its bound is the caller's, as all buses of an exchange have the same.
  private func answer(_ request: Request, as key: UInt64, _ server: MemoryExchange.Server, of service: ServiceName) async {
    let isAdmitted = exchange.state.withLock { state in
      guard let running = state.servers[service]?.running, running < limits.handlers else { return false }
      state.servers[service]?.running += 1
      return true
    }
    guard isAdmitted else {
      let failure = Failure(RequestFailure.overloaded, retryAfterSeconds: 1)
      exchange.finish(key, .success(Reply(id: request.header.id, failure)))
      return
    }
    var reply = await server.handler(request)
    if reply.body.count > limits.messageBytes { reply = Reply(id: request.header.id, Failure(RequestFailure.internalError)) }
    exchange.state.withLock { state in
      if state.servers[service]?.bus == server.bus { state.servers[service]?.running -= 1 }
    }
    exchange.finish(key, .success(reply))
  }

  public func announce(_ announcement: Announcement) {
    let readers = exchange.state.withLock { $0.readers[service, default: [:]].values.map(\.continuation) }
    for reader in readers { reader.yield(announcement) }
  }

  public func announcements(of publisher: ServiceName) -> AsyncStream<Announcement> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Announcement.self, bufferingPolicy: .bufferingNewest(limits.announcements))
    let exchange = exchange
    let key = exchange.state.withLock { state in
      let key = state.nextNumber()
      state.readers[publisher, default: [:]][key] = MemoryExchange.Reader(bus: number, continuation: continuation)
      return key
    }
    continuation.onTermination = { _ in exchange.state.withLock { $0.readers[publisher]?[key] = nil } }
    return stream
  }
}
