public import Operations
import Synchronization

/// An event log in memory: a model of what a store's log promises.
public final class MemoryEventLog: EventLog {
  private struct State {
    var epoch: String
    var events: [LoggedEvent] = []
    /// The last number no longer kept.
    var pruned: Int64 = 0
    var acknowledged: [ServiceName: LogHead] = [:]
    /// The epochs before, oldest first, and the last number of each that it has.
    var ancestors: [(epoch: String, end: Int64)] = []
  }

  private let state: Mutex<State>

  /// An empty log of that epoch.
  public init(epoch: String = "1") { state = Mutex(State(epoch: epoch)) }

  /// Adds an event as the next; for `EventPublisher.publish(_:)`.
  @discardableResult
  public func publish(_ name: String, _ body: [UInt8], at instant: Instant = .now, traceparent: String? = nil) -> PublishedEvents
  {
    state.withLock { state in
      let before = state.pruned + Int64(state.events.count)
      let event = LoggedEvent(number: before + 1, name: name, at: instant, traceparent: traceparent, body: body)
      state.events.append(event)
      return PublishedEvents(after: before, head: LogHead(epoch: state.epoch, number: before + 1), names: [name], events: [event])
    }
  }

  /// Forgets the events up to that number.
  public func prune(through number: Int64) {
    state.withLock { state in
      let count = min(max(0, Int(number - state.pruned)), state.events.count)
      state.events.removeFirst(count)
      state.pruned += Int64(count)
    }
  }

  /// Goes back to what it was at that number, and begins another epoch there, as a store put back from a backup does.
  public func goBack(to number: Int64, epoch: String) {
    state.withLock { state in
      // What a copy from then does not know of.
      while let last = state.ancestors.last, last.end > number { state.epoch = state.ancestors.removeLast().epoch }
      state.ancestors.append((state.epoch, number))
      state.epoch = epoch
      state.events.removeAll { $0.number > number }
    }
  }

  /// How far that subscriber has come, as it said last.
  public func acknowledgement(of subscriber: ServiceName) -> LogHead? { state.withLock { $0.acknowledged[subscriber] } }

  public func head() async throws -> LogHead {
    state.withLock { LogHead(epoch: $0.epoch, number: $0.pruned + Int64($0.events.count)) }
  }

  public func end(of epoch: String) async throws -> Int64? {
    state.withLock { state in state.ancestors.first { $0.epoch == epoch }?.end }
  }

  public func events(after number: Int64, named names: Set<String>?, limit: Int, bytes: Int) async throws -> EventPage {
    try state.withLock { state in
      guard number >= state.pruned else { throw EventLogFailure.pruned }
      var page: [LoggedEvent] = []
      var size = 0
      for event in state.events.dropFirst(Int(number - state.pruned)) where names?.contains(event.name) ?? true {
        size += event.body.count
        if page.count == limit || size > bytes && !page.isEmpty {
          return EventPage(page, through: page.last?.number ?? number)
        }
        page.append(event)
      }
      return EventPage(page, through: state.pruned + Int64(state.events.count))
    }
  }

  public func snapshot(of names: Set<String>?, after key: String?) async throws -> SnapshotPage {
    SnapshotPage(head: try await head(), events: [], nextKey: nil)
  }

  public func acknowledge(subscriber: ServiceName, epoch: String, number: Int64) async throws {
    state.withLock { $0.acknowledged[subscriber] = LogHead(epoch: epoch, number: number) }
  }
}
