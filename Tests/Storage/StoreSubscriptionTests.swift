import GRDB
import Operations
import Storage
import Synchronization
import Testing

private struct Refused: Error {}

@Suite("A store's subscription", .timeLimit(.minutes(1)))
struct StoreSubscriptionTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  private func event(_ number: Int64, traceparent: String? = nil) -> LoggedEvent {
    LoggedEvent(
      number: number, name: "numbers.written", at: Instant(milliseconds: number), traceparent: traceparent,
      body: NumberWritten(number: Int(number)).json)
  }

  private func events(_ numbers: ClosedRange<Int64>) -> [LoggedEvent] { numbers.map { event($0) } }

  /// A page that holds every event from the one before its first.
  private func apply(
    _ events: [LoggedEvent], of publisher: ServiceName = .identity, epoch: String = "a", to subscription: StoreSubscription
  ) async throws {
    let page = EventPage(events, through: events.last?.number ?? 0)
    _ = try await subscription.apply(page, after: (events.first?.number ?? 1) - 1, of: publisher, epoch: epoch)
  }

  /// Writes the number and publishes it in turn.
  private func subscription(_ store: Store) -> StoreSubscription {
    store.subscription { event, _, transaction in
      let number = try NumberWritten.decode(event.body).number
      try transaction.insert(number)
      try transaction.publish(NumberWritten(number: number))
    }
  }

  @Test("Each event of a subscription takes effect once, however often it arrives")
  func onceOnly() async throws {
    let store = try Store.numbers(path)
    let subscription = subscription(store)
    #expect(try await subscription.cursor(of: .identity) == nil)
    try await apply(events(1...3), of: .identity, epoch: "a", to: subscription)
    try await apply(events(1...3), of: .identity, epoch: "a", to: subscription)
    try await apply(events(2...5), of: .identity, epoch: "a", to: subscription)
    try await apply([], of: .identity, epoch: "a", to: subscription)
    #expect(try await store.allNumbers() == [1, 2, 3, 4, 5])
    #expect(try await subscription.cursor(of: .identity) == LogHead(epoch: "a", number: 5))
    await store.close()
  }

  @Test("A subscription moves its cursor to the page's end, and skipped events count as received")
  func pages() async throws {
    let store = try Store.numbers(path)
    let subscription = subscription(store)
    _ = try await subscription.apply(EventPage([event(2), event(5)], through: 9), after: 0, of: .identity, epoch: "a")
    #expect(try await subscription.cursor(of: .identity) == LogHead(epoch: "a", number: 9))
    _ = try await subscription.apply(EventPage([event(5), event(11)], through: 11), after: 4, of: .identity, epoch: "a")
    _ = try await subscription.apply(EventPage([], through: 20), after: 11, of: .identity, epoch: "a")
    #expect(try await store.allNumbers() == [2, 5, 11])
    #expect(try await subscription.cursor(of: .identity) == LogHead(epoch: "a", number: 20))
    await store.close()
  }

  @Test("A subscription keeps a cursor for each publisher")
  func publishers() async throws {
    let store = try Store.numbers(path)
    let seen = Mutex<[String]>([])
    let subscription = store.subscription { event, publisher, _ in seen.withLock { $0.append("\(publisher) \(event.number)") } }
    try await apply(events(1...2), of: .identity, epoch: "a", to: subscription)
    try await apply(events(1...1), of: .social, epoch: "b", to: subscription)
    #expect(seen.withLock { $0 } == ["identity 1", "identity 2", "social 1"])
    #expect(try await subscription.cursor(of: .identity) == LogHead(epoch: "a", number: 2))
    #expect(try await subscription.cursor(of: .social) == LogHead(epoch: "b", number: 1))
    await store.close()
  }

  @Test("A subscription refuses a gap or another epoch, and changes nothing")
  func refusals() async throws {
    let store = try Store.numbers(path)
    let subscription = subscription(store)
    await #expect(throws: EventSubscriptionFailure.gap(reached: 0, from: 1)) {
      try await apply(events(2...3), of: .identity, epoch: "a", to: subscription)
    }
    try await apply(events(1...1), of: .identity, epoch: "a", to: subscription)
    await #expect(throws: EventSubscriptionFailure.gap(reached: 1, from: 2)) {
      try await apply([event(3), event(4)], of: .identity, epoch: "a", to: subscription)
    }
    await #expect(throws: EventSubscriptionFailure.otherEpoch(known: "a", published: "b")) {
      try await apply([event(2)], of: .identity, epoch: "b", to: subscription)
    }
    #expect(try await store.allNumbers() == [1])
    #expect(try await subscription.cursor(of: .identity) == LogHead(epoch: "a", number: 1))
    await store.close()
  }

  @Test("A failing effect undoes the whole delivery: effects, cursor and published events; the next one succeeds")
  func failingEffect() async throws {
    let store = try Store.numbers(path)
    let failures = Mutex(5)
    // Each delivery fails one event later than the one before: after none, one, two … effects.
    let failing = store.subscription { event, _, transaction in
      let number = try NumberWritten.decode(event.body).number
      try transaction.insert(number)
      try transaction.publish(NumberWritten(number: number))
      if failures.withLock({ $0 }) == number { throw Refused() }
    }
    for number in 1...5 {
      failures.withLock { $0 = number }
      await #expect(throws: Refused.self) { try await apply(events(1...5), of: .identity, epoch: "a", to: failing) }
      #expect(try await store.allNumbers() == [])
      #expect(try await failing.cursor(of: .identity) == nil)
      #expect(try await store.log.head().number == 0)
    }
    failures.withLock { $0 = 0 }
    try await apply(events(1...5), of: .identity, epoch: "a", to: failing)
    #expect(try await store.sentNumbers() == [1, 2, 3, 4, 5])
    await store.close()
  }

  @Test("Of a long page the first events take effect, with the cursor, and the others when it is applied again")
  func longPage() async throws {
    let store = try Store.numbers(path)
    let subscription = store.subscription { event, _, transaction in
      try transaction.insert(try NumberWritten.decode(event.body).number)
    }
    let page = EventPage(events(1...500), through: 510)
    var ends: [Int64] = []
    while ends.last != 510, ends.count < 500 {
      let reached = try await subscription.apply(page, after: 0, of: .identity, epoch: "a")
      ends.append(reached)
      #expect(try await subscription.cursor(of: .identity) == LogHead(epoch: "a", number: reached))
      #expect(try await store.allNumbers() == Array(1...Int(min(reached, 500))))
    }
    #expect(ends.count > 1)
    await store.close()
  }

  @Test("An event published by an effect continues the trace of its event")
  func traceContext() async throws {
    let store = try Store.numbers(path)
    try await apply(
      [event(1, traceparent: "first"), event(2, traceparent: "second")], of: .identity, epoch: "a", to: subscription(store))
    #expect(try await store.log.events(after: 0, limit: 10, bytes: 1_000).map(\.traceparent) == ["first", "second"])
    await store.close()
  }

  @Test("A subscription begins from a snapshot, and its cursor moves with the last page to the head of the first")
  func snapshot() async throws {
    let store = try Store.numbers(path)
    let subscription = store.subscription { event, _, transaction in
      try transaction.database.execute(
        sql: "INSERT INTO numbers (number) VALUES (?) ON CONFLICT DO NOTHING",
        arguments: [try NumberWritten.decode(event.body).number])
    }
    let head = LogHead(epoch: "a", number: 40)
    func page(_ number: Int64, at log: Int64, epoch: String = "a") -> SnapshotPage {
      SnapshotPage(head: LogHead(epoch: epoch, number: log), events: [event(number)], nextKey: nil)
    }
    try await subscription.apply(page(1, at: 40), of: .identity, isLast: false, from: head)
    #expect(try await subscription.cursor(of: .identity) == nil)
    await #expect(throws: EventSubscriptionFailure.otherEpoch(known: "a", published: "b")) {
      try await subscription.apply(page(2, at: 1, epoch: "b"), of: .identity, isLast: true, from: head)
    }
    try await subscription.apply(page(2, at: 42), of: .identity, isLast: true, from: head)
    #expect(try await subscription.cursor(of: .identity) == head)
    #expect(try await store.allNumbers() == [1, 2])
    try await apply(events(41...42), of: .identity, epoch: "a", to: subscription)
    #expect(try await subscription.cursor(of: .identity) == LogHead(epoch: "a", number: 42))
    // A publisher that began anew is followed from its new snapshot. Where half of that has taken effect, the cursor is in no epoch, but known:
    // whoever had one may have missed what a new subscriber does without.
    try await subscription.apply(page(3, at: 7, epoch: "b"), of: .identity, isLast: false, from: LogHead(epoch: "b", number: 7))
    #expect(try await subscription.cursor(of: .identity) == LogHead(epoch: "none", number: 0))
    try await subscription.apply(page(3, at: 7, epoch: "b"), of: .identity, isLast: true, from: LogHead(epoch: "b", number: 7))
    #expect(try await subscription.cursor(of: .identity) == LogHead(epoch: "b", number: 7))
    await store.close()
  }

  @Test("A subscription enters the publisher's next epoch only if that contains all that took effect")
  func entering() async throws {
    let store = try Store.numbers(path)
    let subscription = subscription(store)
    func enter(_ epoch: String, _ former: String, _ end: Int64) async throws -> LogHead? {
      try await subscription.enter(epoch, after: LogHead(epoch: former, number: end), of: .identity)
    }
    #expect(try await enter("b", "a", 9) == nil, "there is no cursor")
    try await apply(events(1...5), of: .identity, epoch: "a", to: subscription)
    let other = LoggedEvent(
      number: 1, name: "numbers.written", at: Instant(milliseconds: 1), traceparent: nil, body: NumberWritten(number: 77).json)
    try await apply([other], of: .social, epoch: "a", to: subscription)
    #expect(try await enter("b", "a", 4) == nil, "the fifth is lost")
    #expect(try await enter("b", "c", 9) == nil, "the cursor is in another one")
    #expect(try await subscription.cursor(of: .identity) == LogHead(epoch: "a", number: 5))
    // Once more where nobody knows whether it was moved.
    for _ in 1...2 { #expect(try await enter("b", "a", 5) == LogHead(epoch: "b", number: 5)) }
    #expect(try await enter("c", "b", 9) == LogHead(epoch: "c", number: 5))
    #expect(try await subscription.cursor(of: .social) == LogHead(epoch: "a", number: 1), "another publisher's")
    try await apply(events(6...7), of: .identity, epoch: "c", to: subscription)
    #expect(try await store.allNumbers() == [1, 2, 3, 4, 5, 6, 7, 77])
    await store.close()
  }

  @Test("A subscription does not enter the next epoch if a snapshot has shown what that lacks")
  func enteringAfterSnapshot() async throws {
    let store = try Store.numbers(path)
    let subscription = subscription(store)
    let first = LogHead(epoch: "a", number: 40)
    func page(_ number: Int64, at log: Int64) -> SnapshotPage {
      SnapshotPage(head: LogHead(epoch: "a", number: log), events: [event(number)], nextKey: nil)
    }
    // Its second page was read when 43 events had happened.
    try await subscription.apply(page(1, at: 40), of: .identity, isLast: false, from: first)
    try await subscription.apply(page(2, at: 43), of: .identity, isLast: true, from: first)
    for end in [40, 42] as [Int64] {
      #expect(try await subscription.enter("b", after: LogHead(epoch: "a", number: end), of: .identity) == nil)
    }
    try await apply(events(41...41), of: .identity, epoch: "a", to: subscription)
    #expect(try await subscription.enter("b", after: LogHead(epoch: "a", number: 42), of: .identity) == nil)
    let entered = try await subscription.enter("b", after: LogHead(epoch: "a", number: 43), of: .identity)
    #expect(entered == LogHead(epoch: "b", number: 41))
    // What the snapshot had shown is as old in the next epoch.
    #expect(try await subscription.enter("c", after: LogHead(epoch: "b", number: 42), of: .identity) == nil)
    await store.close()
  }
}
