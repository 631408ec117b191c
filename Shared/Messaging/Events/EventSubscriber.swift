public import Logging
import Metrics
public import Operations
import Synchronization
import Workers

/// Applies every event of one publisher in a service, once and in order, whatever is lost, duplicated or restarted on the way.
///
/// It receives hints, fetches missing events, and passes events to an ``EventSubscription``, whose transaction moves the cursor together
/// with the effect. A failed effect is retried with back-off and never skipped: later events wait for it. While nothing can be written, the
/// subscriber waits.
///
/// If the publisher's store was restored from a copy, the subscriber continues in the copy's log if nothing has taken effect here that the
/// copy lacks. Otherwise it begins again from the publisher's snapshot.
public final class EventSubscriber: Sendable {
  /// Where a subscriber without cursor begins.
  public enum Start: Sendable {
    /// With the publisher's present state: for read models and effects that must not miss anything.
    case snapshot
    /// With what is published from now on: for what is live only.
    case head
  }

  public let publisher: ServiceName
  private let subscriber: ServiceName
  private let subscription: any EventSubscription
  private let bus: any Bus
  private let logger: Logger
  /// The events that the snapshot is requested for.
  private let stateNames: Set<String>?
  /// The same as long as there is no cursor.
  private let initialStateNames: Set<String>?
  private let caughtUp: @Sendable () -> Void
  private let state: Mutex<SubscriberState>
  /// When the current step began; nil while the subscriber waits to receive something.
  private let busySince = Mutex<Int64?>(nil)
  private let longestStepMilliseconds: Int64
  /// How many events have taken effect since the start.
  private let taken = Atomic(0)
  /// The page of the snapshot that was fetched while the previous one took effect.
  private let pageAhead = Mutex<(key: String, page: SnapshotPage)?>(nil)
  /// The events that were fetched while the previous ones took effect, and when.
  private let eventsAhead = Mutex<(after: LogHead, events: EventExchange.FetchOutput, at: Int64)?>(nil)
  private let pokes: AsyncStream<Void>
  private let poke: AsyncStream<Void>.Continuation
  private let lagGauge: Gauge

  /// How long the publisher may take to answer.
  private static let patienceMilliseconds: Int64 = 5000
  /// How often a quiet subscriber checks whether its cursor is to be acknowledged.
  private static let tick = Duration.milliseconds(500)

  /// - Parameters:
  ///   - names: the events that have an effect here; nil for all.
  ///   - stateNames: the events that the publisher's snapshot is requested for; no other part of its state is read. Nil for all that have
  ///     an effect here.
  ///   - initialStateNames: the same for a subscriber that never had a cursor, and has none of the publisher's state yet; nil for the same
  ///     as `stateNames`. A subscriber that had a cursor, and has to begin again, may lack any of them.
  ///   - longestStepMilliseconds: a transaction or request that takes longer hangs, and the subscriber counts as stuck.
  ///   - keepsCursor: whether the subscription keeps the cursor over restarts; if so, the publisher keeps what this subscriber lacks.
  ///   - caughtUp: called once, when ``hasCaughtUp`` becomes true.
  public init(
    _ subscriber: ServiceName, to publisher: ServiceName, subscription: any EventSubscription, bus: any Bus,
    start: Start = .snapshot,
    keepsCursor: Bool = true, names: Set<String>? = nil, stateNames: Set<String>? = nil,
    initialStateNames: Set<String>? = nil,
    longestStepMilliseconds: Int64 = 30_000, logger: Logger, caughtUp: @escaping @Sendable () -> Void = {}
  ) {
    self.subscriber = subscriber
    self.publisher = publisher
    self.subscription = subscription
    self.bus = bus
    self.stateNames = stateNames ?? names
    self.initialStateNames = initialStateNames ?? self.stateNames
    self.caughtUp = caughtUp
    self.longestStepMilliseconds = longestStepMilliseconds
    var logger = logger
    logger[metadataKey: "publisher"] = "\(publisher.rawValue)"
    self.logger = logger
    state = Mutex(SubscriberState(start: start, keepsCursor: keepsCursor, names: names))
    (pokes, poke) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    lagGauge = Gauge(label: "event_lag", dimensions: [("subscriber", subscriber.rawValue), ("publisher", publisher.rawValue)])
  }

  /// How many events the subscriber is behind the publisher; nil if unknown, as when the publisher is away or this process has slept.
  public var lag: Int? { state.withLock { $0.lag(at: EventSubscriber.now) }.map { Int($0) } }

  /// How many events have taken effect since the start, and that number with the missing events; nil for the latter if unknown, as within a
  /// snapshot.
  public var progress: (done: Int, total: Int?) {
    let done = taken.load(ordering: .relaxed)
    return (done, lag.map { done + $0 })
  }

  /// Whether everything that the publisher had published has taken effect at some moment since the start, or since the publisher was
  /// silent. False while the publisher cannot be reached, since it is unknown what it published.
  public var hasCaughtUp: Bool { state.withLock { $0.hasCaughtUp(at: EventSubscriber.now) } }

  /// Sets the gauge `event_lag` to the present lag; `NaN` if unknown.
  public func recordLag() { lagGauge.record(lag.map { Double($0) } ?? .nan) }

  /// Whether the subscriber makes no progress: effects fail again and again, or one hangs. Being behind, or a publisher that is away, does
  /// not count.
  public var isStuck: Bool {
    if state.withLock({ $0.isStuck }) { return true }
    return busySince.withLock { $0.map { EventSubscriber.now - $0 >= longestStepMilliseconds } ?? false }
  }

  /// Subscribes until the task is cancelled.
  public func run() async {
    let announcements = bus.announcements(of: publisher)
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: bus.eventExecutor) {
        for await announcement in announcements {
          let isAwaited = self.state.withLock { state in
            state.received(announcement, at: EventSubscriber.now)
            return state.isAwaited
          }
          if isAwaited { self.poke.yield() }
        }
      }
      group.addTask {
        while !Task.isCancelled {
          self.recordLag()
          self.poke.yield()
          await self.sleep(EventSubscriber.tick)
        }
      }
      group.addTask {
        var pokes = self.pokes.makeAsyncIterator()
        var hasPublished = false
        while !Task.isCancelled {
          let (action, hadAll) = self.state.withLock { state in
            let action = state.next(at: EventSubscriber.now)
            return (action, state.hadAll)
          }
          if hadAll, !hasPublished {
            hasPublished = true
            self.caughtUp()
          }
          if action == .idle { _ = await pokes.next() } else { await self.perform(action) }
        }
      }
    }
  }

  private static var now: Int64 { Monotonic.now / 1_000_000 }

  private func sleep(_ duration: Duration) async {
    // Only cancellation ends the sleep early, and the caller checks for that next.
    do { try await Task.sleep(for: duration) } catch { return }
  }

  private func perform(_ action: SubscriberState.Action) async {
    if case .wait = action {} else { busySince.withLock { $0 = EventSubscriber.now } }
    defer { busySince.withLock { $0 = nil } }
    switch action {
    case .load:
      do {
        let cursor = try await subscription.cursor(of: publisher)
        state.withLock { $0.loaded(cursor) }
      } catch {
        fail("Cannot read the cursor", error) { $0.applyFailed(at: EventSubscriber.now) }
      }
    case .fetch(let after): await fetch(after)
    case .fetchSnapshot(let key): await fetchSnapshot(key)
    case .apply(let page, let after):
      // The publisher reads the next events while these take effect.
      let next = state.withLock { $0.nextFetch }
      await concurrently({ await self.fetchAhead(next) }) {
        await apply {
          let through = try await subscription.apply(page, after: after.number, of: publisher, epoch: after.epoch)
          state.withLock { $0.applied(through: through) }
          return page.events.count { $0.number <= through }
        }
      }
    case .applyPage(let page):
      // The publisher reads the next page while this one takes effect. It may be older by then, which does no harm: what came after the
      // first page was read is fetched as events.
      await concurrently({ await self.readAhead(page.nextKey) }) {
        await apply {
          try await subscription.apply(
            SnapshotPage(head: page.head, events: page.events, nextKey: page.nextKey), of: publisher, isLast: page.isLast,
            from: page.from)
          state.withLock { $0.applied() }
          return page.events.count
        }
      }
    case .enter(let epoch, let end):
      await apply {
        let cursor = try await subscription.enter(epoch, after: end, of: publisher)
        logger.notice(
          "the publisher continues from a copy of its store",
          metadata: [
            "entered": .string(cursor == nil ? "by its snapshot, for events took effect that it lacks" : "at the cursor")
          ])
        state.withLock { $0.entered(cursor) }
        return 0
      }
    case .acknowledge(let cursor):
      let input = EventExchange.AcknowledgeInput(subscriber: subscriber, epoch: cursor.epoch, number: Int(cursor.number))
      do {
        _ = try await ask(.acknowledge, input, as: Empty.self)
        state.withLock { $0.acknowledged() }
      } catch {
        // Retried when it is next due; until then the publisher just keeps more.
        logger.debug("cannot acknowledge events", metadata: ["error": "\(error)"])
      }
    case .wait(let time): await sleep(.milliseconds(max(1, time - EventSubscriber.now)))
    case .idle: break
    }
  }

  /// - Parameter effect: returns how many events have taken effect.
  private func apply(_ effect: () async throws -> Int) async {
    do {
      taken.add(try await effect(), ordering: .relaxed)
    } catch let failure as Failure where failure.isOfStorage {
      logger.debug("events wait until they can be written", metadata: ["code": "\(failure.code)"])
      state.withLock { $0.applyRefused(at: EventSubscriber.now) }
    } catch {
      fail("Events took no effect and are tried again", error) { $0.applyFailed(at: EventSubscriber.now) }
    }
  }

  private func fetch(_ after: LogHead?) async {
    do {
      if let ahead = takeAhead(after) {
        let answer = EventSubscriber.answer(ahead.events)
        if state.withLock({ $0.fetchedAhead(answer.head, answer.page, end: answer.end, at: ahead.at) }) { return }
      }
      let answer = EventSubscriber.answer(try await events(after: after))
      state.withLock { $0.fetched(answer.head, answer.page, end: answer.end, at: EventSubscriber.now) }
    } catch {
      fetchFailed(error)
    }
  }

  private func events(after: LogHead?) async throws -> EventExchange.FetchOutput {
    let names = state.withLock { $0.names }
    let input = EventExchange.FetchInput(
      epoch: after?.epoch, after: after.map { Int($0.number) }, names: names?.sorted(), limit: SubscriberState.Limits().events)
    return try await ask(.fetch, input, as: EventExchange.FetchOutput.self)
  }

  /// Fetches the events after that position, if there are any; if that fails, they are fetched in their turn.
  private func fetchAhead(_ after: LogHead?) async {
    guard let after, eventsAhead.withLock({ $0?.after != after }) else { return }
    do {
      let events = try await events(after: after)
      eventsAhead.withLock { $0 = (after, events, EventSubscriber.now) }
    } catch {
      logger.debug("events cannot be read ahead", metadata: ["error": "\(error)"])
    }
  }

  /// The events fetched ahead, if they follow on that position.
  private func takeAhead(_ after: LogHead?) -> (events: EventExchange.FetchOutput, at: Int64)? {
    eventsAhead.withLock { ahead in
      defer { ahead = nil }
      return ahead.flatMap { $0.after == after ? ($0.events, $0.at) : nil }
    }
  }

  private static func answer(_ output: EventExchange.FetchOutput) -> (head: LogHead, page: EventPage, end: Int64?) {
    (
      LogHead(epoch: output.epoch, number: Int64(output.number)),
      EventPage(output.events.map(\.logged), through: Int64(output.through)), output.endNumber.map { Int64($0) }
    )
  }

  private func fetchSnapshot(_ key: String?) async {
    do {
      let ahead = pageAhead.withLock { ahead in
        defer { ahead = nil }
        return ahead.flatMap { $0.key == key ? $0.page : nil }
      }
      let page = if let ahead { ahead } else { try await snapshotPage(after: key) }
      state.withLock { $0.snapshot(page) }
    } catch {
      fetchFailed(error)
    }
  }

  private func snapshotPage(after key: String?) async throws -> SnapshotPage {
    let names = state.withLock { $0.cursor == nil } ? initialStateNames : stateNames
    let input = EventExchange.SnapshotInput(after: key, names: names?.sorted())
    let output = try await ask(.snapshot, input, as: EventExchange.SnapshotOutput.self)
    return SnapshotPage(
      head: LogHead(epoch: output.epoch, number: Int64(output.number)), events: output.events.map(\.logged),
      nextKey: output.nextKey)
  }

  /// Fetches the page after that key, if there is one and it was not fetched before; if that fails, it is fetched in its turn.
  private func readAhead(_ key: String?) async {
    guard let key, pageAhead.withLock({ $0?.key != key }) else { return }
    do {
      let page = try await snapshotPage(after: key)
      pageAhead.withLock { $0 = (key: key, page: page) }
    } catch {
      logger.debug("a page of the snapshot cannot be read ahead", metadata: ["error": "\(error)"])
    }
  }

  private func fetchFailed(_ error: any Error) {
    if let failure = error as? Failure, failure.code == EventExchangeFailure.pruned.rawValue {
      logger.notice("the missed events are no longer kept; starting again from the snapshot")
      state.withLock { $0.fetchFailed(.pruned, at: EventSubscriber.now) }
    } else if error is BusFailure {
      // A publisher that is away needs no warning: it comes back.
      logger.debug("the publisher cannot be asked", metadata: ["error": "\(error)"])
      state.withLock { $0.fetchFailed(.unreachable, at: EventSubscriber.now) }
    } else {
      fail("The publisher's answer is of no use", error) { $0.fetchFailed(.unreachable, at: EventSubscriber.now) }
    }
  }

  private func fail(_ message: Logger.Message, _ error: any Error, _ change: (inout SubscriberState) -> Void) {
    state.withLock { change(&$0) }
    guard !Task.isCancelled else { return }
    logger.warning(message, metadata: ["error": "\(error)"])
  }

  private func ask<Output: Document>(_ operation: EventExchange, _ input: some Document, as type: Output.Type) async throws
    -> Output
  {
    let header = RequestHeader(
      id: ID<Request>().description, operation: operation.rawValue, caller: .service(subscriber),
      deadline: Instant.now.adding(milliseconds: EventSubscriber.patienceMilliseconds))
    let reply = try await bus.request(Request(header: header, body: input.json), to: publisher)
    guard reply.header.isFailure else { return try Output.decode(reply.body, limits: EventExchange.limits) }
    throw try Failure.decode(reply.body)
  }
}
