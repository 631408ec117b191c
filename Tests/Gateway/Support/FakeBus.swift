import InMemoryBus
import Logging
import Messaging
import Operations
import Synchronization

/// A bus with a script for each service instead of the services: what they answer, and what they announce. Beside ``MemoryBus``, which
/// carries requests to real services, it lets the gateway meet answers that no service gives: wrong, late or none.
///
/// Subscribers to a service's events find that it has never published any, unless its script says otherwise.
final class FakeBus: Bus {
  typealias Script = @Sendable (Operations.Request) async throws -> Reply

  private struct State {
    var scripts: [ServiceName: Script] = [:]
    var publishers: Set<ServiceName> = []
    var subscribers: [ServiceName: [AsyncStream<Announcement>.Continuation]] = [:]
    var requests: [Operations.Request] = []
  }

  private let state = Mutex(State())

  /// What was asked for clients, in order; what the gateway asks in its own name is left out.
  var requests: [Operations.Request] { state.withLock { $0.requests } }

  func answer(_ service: ServiceName, _ script: @escaping Script) { state.withLock { $0.scripts[service] = script } }

  /// The same for a service that answers those who follow its events by its script.
  func answerAsPublisher(_ service: ServiceName, _ script: @escaping Script) {
    state.withLock { state in
      state.publishers.insert(service)
      state.scripts[service] = script
    }
  }

  /// The same, unless a script was given before.
  func answerFirst(_ service: ServiceName, _ script: @escaping Script) {
    state.withLock { if $0.scripts[service] == nil { $0.scripts[service] = script } }
  }

  func request(_ request: Operations.Request, to service: ServiceName) async throws(BusFailure) -> Reply {
    let (script, isPublisher) = state.withLock { state in
      if request.header.caller.kind != .service { state.requests.append(request) }
      return (state.scripts[service], state.publishers.contains(service))
    }
    if !isPublisher, let reply = await FakeBus.silentPublisher.answer(request) { return reply }
    guard let script else { throw .unavailable }
    do {
      return try await script(request)
    } catch let failure as BusFailure {
      throw failure
    } catch {
      return Reply(id: request.header.id, Failure(error))
    }
  }

  private static let silentPublisher = EventPublisher(
    .identity, log: MemoryLog(), bus: MemoryBus(.identity, on: MemoryExchange()),
    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

  func serve(_ handler: @escaping @Sendable (Operations.Request) async -> Reply) {}

  func announce(_ announcement: Announcement) {}

  func announcements(of publisher: ServiceName) -> AsyncStream<Announcement> {
    let (stream, continuation) = AsyncStream.makeStream(of: Announcement.self)
    state.withLock { $0.subscribers[publisher, default: []].append(continuation) }
    return stream
  }

  /// Publishes to everyone who subscribes to that service.
  func publish(_ announcement: Announcement, of publisher: ServiceName) {
    for subscriber in state.withLock({ $0.subscribers[publisher, default: []] }) { subscriber.yield(announcement) }
  }
}

extension Reply {
  /// A reply with that output.
  init(_ request: Operations.Request, _ output: some Document, status: Int = 200) {
    self.init(header: ReplyHeader(id: request.header.id, status: status), body: output.json)
  }
}
