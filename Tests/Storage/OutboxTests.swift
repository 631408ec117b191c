import GRDB
import Operations
import Storage
import Testing

private struct Refused: Error {}

@Suite("The outbox", .timeLimit(.minutes(1)))
struct OutboxTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  /// The state of the numbers as events, two a page.
  private static let snapshot: Store.Snapshot = { database, _, key in
    let numbers = try Int.fetchAll(
      database, sql: "SELECT number FROM numbers WHERE number > ? ORDER BY number LIMIT 2",
      arguments: [key.flatMap { Int($0) } ?? -1])
    return (numbers.map { NumberWritten(number: $0) }, numbers.count < 2 ? nil : numbers.last.map(String.init))
  }

  private func publish(_ numbers: ClosedRange<Int>, in store: Store, traceparent: String? = nil) async throws {
    for number in numbers {
      try await store.write(traceparent: traceparent) { transaction in
        try transaction.insert(number)
        try transaction.publish(NumberWritten(number: number))
      }
    }
  }

  @Test("The outbox numbers events without gaps while every third concurrent write is undone")
  func gapFree() async throws {
    let store = try Store.numbers(path)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<600 {
        group.addTask {
          _ = try? await store.write { transaction in
            try transaction.insert(number)
            try transaction.publish(NumberWritten(number: number))
            if number % 3 == 0 { throw Refused() }
          }
        }
      }
    }
    #expect(try await store.sentNumbers().sorted() == (0..<600).filter { $0 % 3 != 0 })
    #expect(try await store.log.head().number == 400)
    await store.close()
  }

  @Test("The outbox keeps name, time, trace context and body, and passes them to the relay after the commit")
  func contents() async throws {
    let time = TestClock()
    let store = try Store.numbers(path, clock: time.clock)
    let (publications, publishing) = AsyncStream.makeStream(of: PublishedEvents.self)
    store.relay { publishing.yield($0) }
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    try await publish(5...6, in: store, traceparent: trace)
    let event = try await store.log.events(after: 1, limit: 10, bytes: 1_000)
    #expect(
      event == [
        LoggedEvent(
          number: 2, name: "numbers.written", at: time.clock.now, traceparent: trace, body: Array(#"{"number":6}"#.utf8))
      ])
    await store.close()
    publishing.finish()
    var published: [PublishedEvents] = []
    for await next in publications { published.append(next) }
    #expect(published.flatMap(\.events).map(\.number) == [1, 2])
    #expect(published.last?.events.last == event.last)
    #expect(published.last?.head.number == 2)
  }

  @Test("The outbox refuses another service's event, and changes of published ones")
  func refusals() async throws {
    let store = try Store.numbers(path, service: .social)
    await #expect(throws: StoreFailure.foreignEvent(name: "numbers.written", publisher: .activity)) {
      try await store.write { try $0.publish(NumberWritten(number: 1)) }
    }
    await store.close()
    let other = try Store.numbers(folder.file("other.sqlite"))
    try await publish(1...1, in: other)
    await #expect(throws: DatabaseError.self) {
      try await other.write { try $0.database.execute(sql: "UPDATE outbox SET name = 'forged'") }
    }
    await other.close()
  }

  @Test("The outbox refuses an event beyond its subscribers' maximum, and undoes its write")
  func largeEvents() async throws {
    struct Tale: Event {
      var text: String
      static let notes: Notes = ["text": "Published."]
      static let spec = EventSpec("numbers.tale", by: .activity, requirements: [], "A tale was published.")
    }
    let store = try Store.numbers(path)
    try await store.write { try $0.publish(Tale(text: String(repeating: "x", count: 1_048_000))) }
    await #expect(throws: StoreFailure.self) {
      try await store.write { transaction in
        try transaction.insert(1)
        try transaction.publish(Tale(text: String(repeating: "x", count: 1_048_600)))
      }
    }
    #expect(try await store.log.head().number == 1)
    #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers") } == 0)
    await store.close()
  }

  @Test("The outbox limits pages by count and size, but returns at least one event")
  func paging() async throws {
    let store = try Store.numbers(path)
    try await publish(1...9, in: store)
    #expect(try await store.log.events(after: 3, limit: 4, bytes: 1_000).map(\.number) == [4, 5, 6, 7])
    #expect(try await store.log.events(after: 3, limit: 100, bytes: 20).map(\.number) == [4, 5])
    #expect(try await store.log.events(after: 3, limit: 100, bytes: 1).map(\.number) == [4])
    #expect(try await store.log.events(after: 9, limit: 100, bytes: 1_000) == [])
    await #expect(throws: EventLogFailure.pruned) { try await store.log.events(after: 10, limit: 100, bytes: 1_000) }
    await store.close()
  }

  @Test("The outbox finds rare events in several answers, each of which ends further on")
  func rareEvents() async throws {
    struct Rarity: Event {
      static let notes: Notes = [:]
      static let spec = EventSpec("numbers.rare", by: .activity, requirements: [], "Something rare happened.")
    }
    var limits = StoreLimits()
    limits.eventsRead = 4
    let store = try Store.numbers(path, limits: limits)
    try await publish(1...9, in: store)
    try await store.write { try $0.publish(Rarity()) }
    try await publish(11...11, in: store)
    var (after, ends, found): (Int64, [Int64], [Int64]) = (0, [], [])
    while ends.last != 11, ends.count < 9 {
      let page = try await store.log.events(after: after, named: [Rarity.spec.name], limit: 100, bytes: 1_000)
      found += page.events.map(\.number)
      after = page.through
      ends.append(after)
    }
    #expect(ends == [4, 8, 11])
    #expect(found == [10])
    await store.close()
  }

  @Test("The outbox is pruned only behind the slowest subscriber, keeps the newest events, and never reuses numbers")
  func pruning() async throws {
    var limits = StoreLimits()
    limits.eventsKept = 3
    limits.rowsPerPurge = 2
    let store = try Store.numbers(path, snapshot: OutboxTests.snapshot, limits: limits)
    try await publish(1...10, in: store)
    let epoch = try await store.log.head().epoch

    try await store.log.acknowledge(subscriber: .notifications, epoch: epoch, number: 0)
    try await store.housekeep()
    #expect(try await store.count("outbox") == 10)

    try await store.log.acknowledge(subscriber: .rewards, epoch: epoch, number: 9)
    try await store.log.acknowledge(subscriber: .notifications, epoch: epoch, number: 5)
    try await store.log.acknowledge(subscriber: .notifications, epoch: epoch, number: 4)
    try await store.log.acknowledge(subscriber: .notifications, epoch: "another", number: 9)
    try await store.housekeep()
    #expect(try await store.log.events(after: 5, limit: 100, bytes: 1_000).map(\.number) == [6, 7, 8, 9, 10])
    await #expect(throws: EventLogFailure.pruned) { try await store.log.events(after: 4, limit: 100, bytes: 1_000) }

    try await store.log.acknowledge(subscriber: .notifications, epoch: epoch, number: 10)
    try await store.log.acknowledge(subscriber: .rewards, epoch: epoch, number: 10)
    try await store.housekeep()
    #expect(try await store.count("outbox") == 3)
    // The last one holds the numbering.
    await #expect(throws: DatabaseError.self) {
      try await store.write { try $0.database.execute(sql: "DELETE FROM outbox WHERE number = 10") }
    }
    try await store.write { try $0.database.execute(sql: "DELETE FROM outbox WHERE number < 10") }
    await #expect(throws: EventLogFailure.pruned) { try await store.log.events(after: 8, limit: 100, bytes: 1_000) }
    try await publish(11...11, in: store)
    #expect(try await store.log.head().number == 11)
    await store.close()
  }

  @Test("The outbox never prunes its last event, even if none must be kept")
  func pruningAll() async throws {
    var limits = StoreLimits()
    limits.eventsKept = 0
    var store = try Store.numbers(path, snapshot: OutboxTests.snapshot, limits: limits)
    try await publish(1...4, in: store)
    try await store.housekeep()
    #expect(try await store.count("outbox") == 1)
    await store.close()
    store = try Store.numbers(path, snapshot: OutboxTests.snapshot, limits: limits)
    try await publish(5...5, in: store)
    #expect(try await store.log.head().number == 5)
    await store.close()
  }

  @Test("The outbox is pruned to the newest events if subscribers keep no cursor in it")
  func pruningForLiveSubscribers() async throws {
    var limits = StoreLimits()
    limits.eventsKept = 3
    let store = try Store.numbers(path, snapshot: OutboxTests.snapshot, limits: limits)
    try await publish(1...10, in: store)
    try await store.housekeep()
    #expect(try await store.count("outbox") == 3)
    #expect(try await store.log.head().number == 10)
    await store.close()
  }

  @Test("The outbox is never pruned without a snapshot to begin from, which begins before the first event")
  func withoutSnapshot() async throws {
    var limits = StoreLimits()
    limits.eventsKept = 0
    let store = try Store.numbers(path, limits: limits)
    try await publish(1...3, in: store)
    let head = try await store.log.head()
    try await store.log.acknowledge(subscriber: .rewards, epoch: head.epoch, number: 3)
    try await store.housekeep()
    let page = try await store.log.snapshot(after: nil)
    #expect(page.head == LogHead(epoch: head.epoch, number: 0))
    #expect(page.events.isEmpty && page.nextKey == nil)
    #expect(try await store.log.events(after: 0, limit: 100, bytes: 1_000).count == 3)
    await store.close()
  }

  @Test("The outbox publishes its state in pages, each consistent with the head that it names")
  func snapshots() async throws {
    let store = try Store.numbers(path, snapshot: OutboxTests.snapshot)
    try await publish(1...3, in: store)
    #expect(try await store.log.snapshot(of: ["another.name"], after: nil).events.isEmpty)
    let first = try await store.log.snapshot(of: ["numbers.written"], after: nil)
    #expect(first.head.number == 3)
    #expect(try first.events.map { try NumberWritten.decode($0.body).number } == [1, 2])
    #expect(first.events.map(\.number) == [0, 0])
    try await publish(4...4, in: store)
    let second = try await store.log.snapshot(after: first.nextKey)
    #expect(second.head.number == 4)
    #expect(try second.events.map { try NumberWritten.decode($0.body).number } == [3, 4])
    let last = try await store.log.snapshot(after: second.nextKey)
    #expect(last.events.isEmpty && last.nextKey == nil)
    await store.close()
  }

  @Test("The outbox keeps its epoch when opened again, and begins another on request")
  func epochs() async throws {
    var store = try Store.numbers(path)
    try await publish(1...2, in: store)
    let first = try await store.log.head()
    await store.close()
    store = try Store.numbers(path)
    #expect(try await store.log.head() == first)
    try await store.log.acknowledge(subscriber: .rewards, epoch: first.epoch, number: 2)
    await store.close()
    try Store.beginNewEpoch(path: path)
    store = try Store.numbers(path)
    let second = try await store.log.head()
    #expect(second.epoch != first.epoch)
    #expect(second.number == 2)
    #expect(try await store.log.end(of: first.epoch) == 2)
    // What it had said keeps what it lacks.
    #expect(try await store.count("outbox_subscribers") == 1)
    #expect(try await store.log.snapshot(after: nil).head == second)
    await store.close()
  }
}
