import InMemoryBus
import Operations
import Testing

@testable import Messaging

@Suite("A subscriber whose publisher continues from a copy of its store")
struct EpochEntryTests {
  private let old = LogHead(epoch: "1", number: 7)
  private let new = LogHead(epoch: "2", number: 9)

  private func event(_ number: Int64) -> LoggedEvent {
    LoggedEvent(number: number, name: "wanted", at: .placeholder, traceparent: nil, body: [])
  }

  /// One that asked with its cursor at 7 of the former epoch, and heard that the log has that one up to `end`.
  private func answered(end: Int64?, start: EventSubscriber.Start = .snapshot) -> SubscriberState {
    var state = SubscriberState(start: start, keepsCursor: true, names: ["wanted"])
    state.loaded(old)
    #expect(state.next(at: 0) == .fetch(after: old))
    state.fetched(new, EventPage([], through: new.number), end: end, at: 0)
    return state
  }

  @Test("Prefetched events take effect, unless the publisher's state is in doubt: then it is asked first")
  func fetchedAhead() {
    for isDoubtful in [false, true] {
      let (start, head) = (LogHead(epoch: "1", number: 0), LogHead(epoch: "1", number: 4))
      var state = SubscriberState(start: .snapshot, keepsCursor: false, names: ["wanted"])
      state.loaded(start)
      #expect(state.next(at: 0) == .fetch(after: start))
      state.fetched(head, EventPage([event(1), event(2)], through: 2), at: 0)
      let first = EventPage([event(1), event(2)], through: 2)
      #expect(state.next(at: 0) == .apply(first, after: start))
      #expect(state.nextFetch == LogHead(epoch: "1", number: 2))
      state.applied()
      let second = EventPage([event(3), event(4)], through: 4)
      // The process slept, and now hears the publisher again.
      if isDoubtful { state.received(.heartbeat(LogHead(epoch: "1", number: 9)), at: 60_000) }
      #expect(state.fetchedAhead(head, second, end: nil, at: 1) == !isDoubtful)
      if isDoubtful {
        #expect(state.next(at: 60_000) == .fetch(after: LogHead(epoch: "1", number: 2)))
        #expect(!state.hasCaughtUp(at: 60_000))
      } else {
        #expect(state.next(at: 1) == .apply(second, after: LogHead(epoch: "1", number: 2)))
        #expect(state.nextFetch == nil)
      }
    }
  }

  @Test("A cursor of the former epoch continues in the next one if the store allows it, and is acknowledged there")
  func goesOn() {
    var state = answered(end: 8)
    #expect(state.next(at: 1) == .enter(epoch: "2", after: LogHead(epoch: "1", number: 8)))
    #expect(state.lag(at: 1) == nil, "nobody knows yet what it lacks")
    let entered = LogHead(epoch: "2", number: 7)
    state.entered(entered)
    #expect(state.next(at: 2) == .fetch(after: entered))
    state.fetched(new, EventPage([event(8), event(9)], through: 9), at: 3)
    #expect(state.next(at: 4) == .apply(EventPage([event(8), event(9)], through: 9), after: entered))
    state.applied()
    #expect(state.next(at: 10_000) == .fetch(after: new), "the publisher was silent")
    state.fetched(new, EventPage([], through: 9), at: 10_000)
    #expect(state.next(at: 10_001) == .acknowledge(new))
  }

  @Test(
    "A subscriber begins from the snapshot where the store has seen more than the copy, or the publisher does not know its epoch")
  func snapshot() {
    var beyond = answered(end: 6)
    #expect(beyond.next(at: 1) == .enter(epoch: "2", after: LogHead(epoch: "1", number: 6)))
    beyond.entered(nil)
    #expect(beyond.next(at: 2) == .fetchSnapshot(after: nil))
    var unknown = answered(end: nil)
    #expect(unknown.next(at: 1) == .fetchSnapshot(after: nil))
    var live = answered(end: 6, start: .head)
    live.entered(nil)
    #expect(live.next(at: 2) == .fetch(after: nil), "who keeps nothing begins at the head")
  }

  @Test("Events of the former epoch that have not taken effect are forgotten, and the store's cursor counts")
  func forgets() {
    var state = SubscriberState(start: .snapshot, keepsCursor: true, names: ["wanted"])
    state.loaded(old)
    _ = state.next(at: 0)
    state.fetched(old, EventPage([], through: 7), at: 0)
    // An event that does not concern it moves only what it knows, and one that does waits.
    state.received(.event(LoggedEvent(number: 8, name: "other", at: .placeholder, traceparent: nil, body: []), epoch: "1"), at: 1)
    #expect(state.cursor == LogHead(epoch: "1", number: 8))
    #expect(state.next(at: 2) == .idle)
    state.received(.heartbeat(new), at: 3)
    #expect(state.next(at: 4) == .fetch(after: LogHead(epoch: "1", number: 8)))
    state.received(.event(event(9), epoch: "1"), at: 5)
    state.fetched(new, EventPage([], through: 9), end: 7, at: 6)
    // Neither what comes late of the former epoch nor what comes of the next one is taken before the store has moved.
    state.received(.event(event(10), epoch: "1"), at: 7)
    state.received(.event(event(8), epoch: "2"), at: 7)
    #expect(state.next(at: 8) == .enter(epoch: "2", after: LogHead(epoch: "1", number: 7)))
    state.entered(LogHead(epoch: "2", number: 7))
    #expect(state.next(at: 9) == .fetch(after: LogHead(epoch: "2", number: 7)))
    state.received(.event(event(10), epoch: "1"), at: 10)
    state.fetched(new, EventPage([event(8)], through: 9), at: 11)
    #expect(state.next(at: 12) == .apply(EventPage([event(8)], through: 9), after: LogHead(epoch: "2", number: 7)))
  }

  @Test("A cursor that could not be moved is retried, and one moved before the process ended continues from there")
  func failures() {
    var state = answered(end: 8)
    let enter = SubscriberState.Action.enter(epoch: "2", after: LogHead(epoch: "1", number: 8))
    #expect(state.next(at: 1) == enter)
    state.applyFailed(at: 1)
    #expect(state.next(at: 2) == .wait(until: 51))
    #expect(state.next(at: 51) == enter)
    state.applyRefused(at: 51)
    #expect(state.next(at: 600) == enter)
    var other = SubscriberState(start: .snapshot, keepsCursor: true)
    other.loaded(LogHead(epoch: "2", number: 7))
    #expect(other.next(at: 0) == .fetch(after: LogHead(epoch: "2", number: 7)))
  }
}
