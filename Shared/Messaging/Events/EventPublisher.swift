public import Logging
public import Operations

/// The relay: announces the events of a service's log, in order and after the commit, and answers subscribers that missed some.
///
/// An announcement is a hint and never holds up the writer: a subscriber that is slow or away fetches.
public final class EventPublisher: Sendable {
  /// A larger event is not announced in full but fetched, so that the buffers of slow readers stay small.
  static let largestPublished = 64 << 10
  /// The size of one page for subscribers that fetch.
  static let pageBytes = 1 << 20

  private let service: ServiceName
  private let log: any EventLog
  private let bus: any Bus
  private let logger: Logger
  private let heartbeat: Duration

  /// - Parameter heartbeat: how often the log's position is announced: the longest that a lost hint delays an event.
  public init(
    _ service: ServiceName, log: any EventLog, bus: any Bus, heartbeat: Duration = .milliseconds(500), logger: Logger
  ) {
    self.service = service
    self.log = log
    self.bus = bus
    self.heartbeat = heartbeat
    self.logger = logger
  }

  /// Announces what a commit added to the log; called commit by commit.
  public func publish(_ published: PublishedEvents) {
    guard !published.events.isEmpty, published.events.allSatisfy({ $0.body.count <= EventPublisher.largestPublished }) else {
      bus.announce(.burst(names: published.names, after: published.after, head: published.head))
      return
    }
    for event in published.events { bus.announce(.event(event, epoch: published.head.epoch)) }
  }

  /// Announces the log's position until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      do {
        bus.announce(.heartbeat(try await log.head()))
      } catch {
        if !(error is CancellationError) {
          logger.error("cannot read the head of the event log", metadata: ["error": "\(error)"])
        }
      }
      // Only cancellation ends it early.
      do { try await Task.sleep(for: heartbeat) } catch { return }
    }
  }

  // MARK: - Answers

  /// The answer to one of the ``EventExchange`` operations; nil for any other, which the service itself answers.
  public func answer(_ request: Request) async -> Reply? {
    guard let operation = EventExchange(rawValue: request.header.operation) else { return nil }
    let id = request.header.id
    guard request.header.caller.kind == .service, let caller = request.header.caller.service else {
      return Reply(id: id, Failure(RequestFailure.forbidden))
    }
    do {
      let body: [UInt8]
      switch operation {
      case .fetch: body = await EventPublisher.json(try await fetch(.decode(request.body)))
      case .snapshot: body = try await snapshot(.decode(request.body)).json
      case .acknowledge:
        let input = try EventExchange.AcknowledgeInput.decode(request.body)
        guard input.subscriber == caller else { throw Failure(RequestFailure.forbidden) }
        try await log.acknowledge(subscriber: caller, epoch: input.epoch, number: Int64(input.number))
        body = Empty().json
      }
      return Reply(header: ReplyHeader(id: id, status: 200), body: body)
    } catch EventLogFailure.pruned {
      return Reply(id: id, EventExchangeFailure.pruned.with())
    } catch {
      if !(error is Failure) { logger.error("cannot serve the event log", metadata: ["error": "\(error)"]) }
      return Reply(id: id, Failure(error))
    }
  }

  /// Encodes a page; a long one on another executor, where it holds up nothing.
  private static func json(_ page: EventExchange.FetchOutput) async -> [UInt8] {
    guard page.events.count > 32 else { return page.json }
    return await withTaskExecutorPreference(globalConcurrentExecutor) { page.json }
  }

  private func fetch(_ input: EventExchange.FetchInput) async throws -> EventExchange.FetchOutput {
    let head = try await log.head()
    guard let after = input.after, input.epoch == head.epoch, after < head.number else {
      var output = EventExchange.FetchOutput(
        epoch: head.epoch, number: Int(head.number), through: Int(head.number), events: [])
      if let epoch = input.epoch, epoch != head.epoch { output.endNumber = try await log.end(of: epoch).map { Int($0) } }
      return output
    }
    let page = try await log.events(
      after: Int64(after), named: input.names.map(Set.init), limit: input.limit, bytes: EventPublisher.pageBytes)
    return .init(
      epoch: head.epoch, number: Int(max(head.number, page.through)), through: Int(page.through),
      events: page.events.map(WireEvent.init))
  }

  private func snapshot(_ input: EventExchange.SnapshotInput) async throws -> EventExchange.SnapshotOutput {
    let page = try await log.snapshot(of: input.names.map(Set.init), after: input.after)
    return .init(
      epoch: page.head.epoch, number: Int(page.head.number), events: page.events.map(WireEvent.init), nextKey: page.nextKey)
  }
}
