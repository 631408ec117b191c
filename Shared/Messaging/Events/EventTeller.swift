public import Logging
public import Operations

/// The relay: publishes what a service's log holds, in order and after the commit, and answers those who missed something.
///
/// Publishing is a hint and never holds up the writer: a subscriber that is slow or away fetches. A burst longer than
/// ``longestBurst`` is not published event by event at all: listeners are told how far the log goes, and fetch what concerns them.
public final class EventTeller: Sendable {
  /// Events published one by one, so that whoever waits for one has it at once. For more, a page to each who wants it costs less.
  static let longestBurst: Int64 = 8
  /// A larger event is not published but fetched, so that the buffers of slow readers stay small.
  static let largestPublished = 64 << 10
  /// One page for those who fetch, and one read of the relay's.
  static let pageBytes = 1 << 20

  private let service: ServiceName
  private let log: any EventLog
  private let bus: any Bus
  private let logger: Logger
  private let heartbeat: Duration
  private let nudges: AsyncStream<Void>
  private let nudge: AsyncStream<Void>.Continuation

  /// - Parameter heartbeat: how often listeners are told how far the log goes: the longest that a lost hint delays an event.
  public init(
    _ service: ServiceName, log: any EventLog, bus: any Bus, heartbeat: Duration = .milliseconds(500), logger: Logger
  ) {
    self.service = service
    self.log = log
    self.bus = bus
    self.heartbeat = heartbeat
    self.logger = logger
    (nudges, nudge) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Says that events were committed. Returns at once; many calls may lead to one look at the log.
  public func told() { nudge.yield() }

  /// Publishes until the task is cancelled.
  public func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask {
        var published: LogHead?
        for await _ in self.nudges { published = await self.publish(after: published) }
      }
      group.addTask {
        while !Task.isCancelled {
          do {
            self.bus.announce(.heartbeat(try await self.log.head()))
            // Also looks for events whose nudge never came.
            self.nudge.yield()
            try await Task.sleep(for: self.heartbeat)
          } catch is CancellationError {
            return
          } catch {
            self.logger.error("Cannot read the head of the event log", metadata: ["error": "\(error)"])
            await self.pause()
          }
        }
      }
    }
  }

  /// Publishes what came after that point, and returns where it stands now.
  private func publish(after published: LogHead?) async -> LogHead? {
    do {
      var head = try await log.head()
      guard let published, published.epoch == head.epoch, head.number - published.number <= EventTeller.longestBurst else {
        bus.announce(.heartbeat(head))
        return head
      }
      var number = published.number
      while number < head.number {
        let events = try await log.events(after: number, limit: 256, bytes: EventTeller.pageBytes)
        guard let last = events.last else { break }
        for event in events {
          if event.body.count <= EventTeller.largestPublished {
            bus.announce(.event(event, epoch: head.epoch))
          } else {
            bus.announce(.heartbeat(LogHead(epoch: head.epoch, number: event.number)))
          }
        }
        number = last.number
        if number >= head.number { head = LogHead(epoch: head.epoch, number: number) }
      }
      return LogHead(epoch: head.epoch, number: number)
    } catch {
      // Nothing is lost: the next heartbeat makes listeners fetch.
      if !(error is CancellationError) { logger.error("Cannot read the event log", metadata: ["error": "\(error)"]) }
      return nil
    }
  }

  private func pause() async {
    do { try await Task.sleep(for: heartbeat) } catch { return }
  }

  // MARK: - Answers

  /// The answer to one of the ``EventExchange`` operations; nil for any other, which is the service's own.
  public func answer(_ request: Request) async -> Reply? {
    guard let operation = EventExchange(rawValue: request.header.operation) else { return nil }
    let id = request.header.id
    guard request.header.caller.kind == .service, let caller = request.header.caller.service else {
      return Reply(id: id, Failure(RequestFailure.forbidden))
    }
    do {
      let body: [UInt8]
      switch operation {
      case .fetch: body = await EventTeller.json(try await fetch(.decode(request.body)))
      case .snapshot: body = try await snapshot(.decode(request.body)).json
      case .acknowledge:
        let input = try EventExchange.AcknowledgeInput.decode(request.body)
        guard input.listener == caller else { throw Failure(RequestFailure.forbidden) }
        try await log.acknowledge(listener: caller, epoch: input.epoch, number: Int64(input.number))
        body = Empty().json
      }
      return Reply(header: ReplyHeader(id: id, status: 200), body: body)
    } catch EventLogFailure.pruned {
      return Reply(id: id, EventExchangeFailure.pruned.with())
    } catch {
      if !(error is Failure) { logger.error("Cannot serve the event log", metadata: ["error": "\(error)"]) }
      return Reply(id: id, Failure(error))
    }
  }

  /// Writes a page; a long one where it holds up nobody.
  private static func json(_ page: EventExchange.FetchOutput) async -> [UInt8] {
    guard page.events.count > 32 else { return page.json }
    return await withTaskExecutorPreference(globalConcurrentExecutor) { page.json }
  }

  private func fetch(_ input: EventExchange.FetchInput) async throws -> EventExchange.FetchOutput {
    let head = try await log.head()
    guard let after = input.after, input.epoch == head.epoch, after < head.number else {
      return .init(epoch: head.epoch, number: Int(head.number), through: Int(head.number), events: [])
    }
    let page = try await log.events(
      after: Int64(after), named: input.names.map(Set.init), limit: input.limit, bytes: EventTeller.pageBytes)
    return .init(
      epoch: head.epoch, number: Int(max(head.number, page.through)), through: Int(page.through),
      events: page.events.map(WireEvent.init))
  }

  private func snapshot(_ input: EventExchange.SnapshotInput) async throws -> EventExchange.SnapshotOutput {
    let page = try await log.snapshot(after: input.after)
    return .init(
      epoch: page.head.epoch, number: Int(page.head.number), events: page.events.map(WireEvent.init), nextKey: page.nextKey)
  }
}
