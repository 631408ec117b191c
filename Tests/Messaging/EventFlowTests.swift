import Glibc
import InMemoryBus
import Logging
import Operations
import Sampling
import Synchronization
import Testing

@testable import Messaging

/// What took effect in a subscriber, and a way to wait until enough did.
private actor Effects {
  private(set) var bodies: [[UInt8]] = []
  private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  private(set) var largestGrowth = 0
  private var memoryAtStart = 0

  func watchMemory() {
    memoryAtStart = residentBytes()
    largestGrowth = 0
  }

  func add(_ event: LoggedEvent) {
    bodies.append(event.body)
    if bodies.count % 500 == 0 { largestGrowth = max(largestGrowth, residentBytes() - memoryAtStart) }
    for waiter in waiters where waiter.count <= bodies.count { waiter.continuation.resume() }
    waiters.removeAll { $0.count <= bodies.count }
  }

  func wait(for count: Int) async {
    if bodies.count >= count { return }
    await withCheckedContinuation { waiters.append((count, $0)) }
  }

  private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return (Int(text.split(separator: " ")[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}

/// A bus behind a bad line: of what is announced it drops, doubles and reorders 10 % each, and swallows the last events.
private final class LossyBus: Bus {
  private let bus: any Bus
  private let seed: UInt64
  private let swallowedFrom: Int64

  init(_ bus: any Bus, seed: UInt64, swallowedFrom: Int64) {
    self.bus = bus
    self.seed = seed
    self.swallowedFrom = swallowedFrom
  }

  func request(_ request: Request, to service: ServiceName) async throws(BusFailure) -> Reply {
    try await bus.request(request, to: service)
  }

  func serve(_ handler: @escaping @Sendable (Request) async -> Reply) { bus.serve(handler) }
  func announce(_ announcement: Announcement) { bus.announce(announcement) }

  func announcements(of publisher: ServiceName) -> AsyncStream<Announcement> {
    let inner = bus.announcements(of: publisher)
    let random = Mutex(SeededGenerator(seed))
    let late = Mutex<Announcement?>(nil)
    let (stream, continuation) = AsyncStream.makeStream(of: Announcement.self)
    let pump = Task { [swallowedFrom] in
      for await announcement in inner {
        if case .event(let event, _) = announcement, event.number >= swallowedFrom { continue }
        switch random.withLock({ Int.random(in: 0..<10, using: &$0) }) {
        case 0: continue
        case 1:
          continuation.yield(announcement)
          continuation.yield(announcement)
        case 2: late.withLock { $0 = announcement }
        default:
          continuation.yield(announcement)
          if let held = late.withLock({ held in
            defer { held = nil }
            return held
          }) {
            continuation.yield(held)
          }
        }
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in pump.cancel() }
    return stream
  }
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct EventFlowTests {
  private func publisher(_ log: MemoryEventLog, _ junction: Junction) throws -> (bus: TestBus, publisher: EventPublisher) {
    let box = PublisherBox()
    let bus = try junction.bus(.social) { request in
      await box.publisher?.answer(request) ?? Reply(id: request.header.id, Failure(RequestFailure.unknownOperation))
    }
    let publisher = EventPublisher(.social, log: log, bus: bus.bus, logger: .quiet)
    box.set(publisher)
    return (bus, publisher)
  }

  /// A subscription whose cursor stands before the first event: for it the whole history counts, not the snapshot.
  private func subscription(
    _ effect: @escaping @Sendable (LoggedEvent, ServiceName) async throws -> Void
  ) async throws -> MemoryEventSubscription {
    let subscription = MemoryEventSubscription(effect)
    let start = LogHead(epoch: "1", number: 0)
    try await subscription.apply(SnapshotPage(head: start, events: [], nextKey: nil), of: .social, isLast: true, from: start)
    return subscription
  }

  private func body(_ number: Int, padding: Int = 0) -> [UInt8] {
    Array(#"{"n":\#(number),"pad":"\#(String(repeating: "x", count: padding))"}"#.utf8)
  }

  @Test(
    "Over a line that drops, doubles, reorders and loses the last 50 events, every subscriber soon has exactly the log",
    arguments: Wiring.allCases)
  func lossyLine(wiring: Wiring) async throws {
    let junction = try wiring.make()
    let log = MemoryEventLog()
    let (publisherBus, publisher) = try publisher(log, junction)
    let services: [ServiceName] = [.notifications, .rewards, .activity]
    let effects = services.map { _ in Effects() }
    var subscriptions: [MemoryEventSubscription] = []
    for own in effects { subscriptions.append(try await subscription { event, _ in await own.add(event) }) }
    let buses = try services.map { try junction.bus($0) }
    let total = 5000
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await publisher.run() }
      for (index, service) in services.enumerated() {
        let bus = LossyBus(buses[index].bus, seed: UInt64(index), swallowedFrom: Int64(total - 49))
        let subscriber = EventSubscriber(service, to: .social, subscription: subscriptions[index], bus: bus, logger: .quiet)
        group.addTask { await subscriber.run() }
      }
      for number in 1...total {
        publisher.publish(log.publish("test.happened", body(number)))
        if number % 50 == 0 { await Task.yield() }
      }
      let published = ContinuousClock.now
      for own in effects { await own.wait(for: total) }
      // Within 3 s on a quiet machine; on a busy one, far from the pauses of a subscriber that had to give up and begin again.
      #expect(ContinuousClock.now - published < .seconds(20))
      group.cancelAll()
    }
    for own in effects { #expect(await own.bodies == (1...total).map { body($0) }) }
    for bus in buses + [publisherBus] { await bus.stop() }
  }

  @Test("A subscriber that missed 50,000 events catches up without a gap, in little memory")
  func catchesUp() async throws {
    let junction = try Wiring.sockets.make()
    let log = MemoryEventLog()
    let (publisherBus, publisher) = try publisher(log, junction)
    let bus = try junction.bus(.notifications)
    let effects = Effects()
    let subscription = try await subscription { event, _ in await effects.add(event) }
    func subscribe(until count: Int) async {
      let subscriber = EventSubscriber(.notifications, to: .social, subscription: subscription, bus: bus.bus, logger: .quiet)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await subscriber.run() }
        await effects.wait(for: count)
        group.cancelAll()
      }
    }
    let running = Task { await publisher.run() }
    for number in 1...10 { log.publish("test.happened", body(number, padding: 200)) }
    await subscribe(until: 10)
    for number in 11...50_010 { log.publish("test.happened", body(number, padding: 200)) }
    publisher.publish(
      PublishedEvents(after: 10, head: LogHead(epoch: "1", number: 50_010), names: ["test.happened"], events: []))
    await effects.watchMemory()
    await subscribe(until: 50_010)
    let caughtUp = await effects.bodies
    #expect(caughtUp.count == 50_010)
    #expect(caughtUp.enumerated().allSatisfy { $1 == body($0 + 1, padding: 200) })
    // The effects themselves are some 16 MB of it.
    #expect(await effects.largestGrowth < 64 << 20)
    #expect(log.acknowledgement(of: .notifications)?.number ?? 0 > 44_000)
    running.cancel()
    await running.value
    await bus.stop()
    await publisherBus.stop()
  }

  @Test("A failing effect is retried until it succeeds, and nothing overtakes it")
  func failingEffect() async throws {
    let junction = try Wiring.memory.make()
    let log = MemoryEventLog()
    let (_, publisher) = try publisher(log, junction)
    let effects = Effects()
    let failures = Mutex(3)
    struct Refused: Error {}
    let subscription = try await subscription { event, _ in
      let fails =
        event.number == 5
        && failures.withLock { left in
          left -= 1
          return left >= 0
        }
      if fails { throw Refused() }
      await effects.add(event)
    }
    for number in 1...20 { log.publish("test.happened", body(number)) }
    let bus = try junction.bus(.rewards)
    let subscriber = EventSubscriber(.rewards, to: .social, subscription: subscription, bus: bus.bus, logger: .quiet)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await publisher.run() }
      group.addTask { await subscriber.run() }
      await effects.wait(for: 20)
      group.cancelAll()
    }
    #expect(await effects.bodies == (1...20).map { body($0) })
  }

  @Test("A subscriber that begins at the head receives only later events")
  func fromTheHead() async throws {
    let junction = try Wiring.sockets.make()
    let log = MemoryEventLog()
    let (publisherBus, publisher) = try publisher(log, junction)
    for number in 1...5 { log.publish("test.happened", body(number)) }
    let bus = try junction.bus(.gateway)
    let effects = Effects()
    let subscription = MemoryEventSubscription { event, _ in await effects.add(event) }
    let subscriber = EventSubscriber(
      .gateway, to: .social, subscription: subscription, bus: bus.bus, start: .head, keepsCursor: false, logger: .quiet)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await publisher.run() }
      group.addTask { await subscriber.run() }
      await subscription.hasBegun(with: .social)
      publisher.publish(log.publish("test.happened", body(6)))
      await effects.wait(for: 1)
      group.cancelAll()
    }
    #expect(await effects.bodies == [body(6)])
    #expect(log.acknowledgement(of: .gateway) == nil)
    await bus.stop()
    await publisherBus.stop()
  }

  /// A publisher of a snapshot of so many pages with an event each, which notes the keys and names that it is asked for.
  private func snapshotOf(
    _ pages: Int, _ junction: Junction, _ asked: @escaping @Sendable (_ key: Int, _ names: [String]?) -> Void
  ) throws -> TestBus {
    try junction.bus(.social) { request in
      let id = request.header.id
      guard request.header.operation == EventExchange.snapshot.rawValue,
        let input = try? EventExchange.SnapshotInput.decode(request.body)
      else {
        // At its end nothing is missing.
        let end = EventExchange.FetchOutput(epoch: "1", number: 0, through: 0, events: [])
        return Reply(header: ReplyHeader(id: id, status: 200), body: end.json)
      }
      let key = input.after.flatMap { Int($0) } ?? 0
      asked(key, input.names)
      let event = LoggedEvent(
        number: 0, name: "test.happened", at: .now, traceparent: nil, body: Array("{\"n\":\(key)}".utf8))
      let page = EventExchange.SnapshotOutput(
        epoch: "1", number: 0, events: [WireEvent(event)], nextKey: key + 1 < pages ? "\(key + 1)" : nil)
      return Reply(header: ReplyHeader(id: id, status: 200), body: page.json)
    }
  }

  @Test("While one page of a snapshot takes effect the next is read, each once, even if the effect fails at first")
  func readsAhead() async throws {
    let junction = try Wiring.memory.make()
    let (keys, key) = AsyncStream.makeStream(of: Int.self)
    _ = try snapshotOf(4, junction) { number, _ in key.yield(number) }
    let bus = try junction.bus(.rewards)
    let effects = Effects()
    let asked = Mutex<Set<Int>>([])
    let failures = Mutex(1)
    struct Refused: Error {}
    let watching = Task {
      for await key in keys {
        let isNew = asked.withLock { $0.insert(key).inserted }
        #expect(isNew, "page \(key)")
      }
    }
    let subscription = MemoryEventSubscription { event, _ in
      let number = await effects.bodies.count
      // The next page was asked for before this one has taken effect; were it not, this would never end.
      while number < 3, !asked.withLock({ $0.contains(number + 1) }) { await Task.yield() }
      let fails =
        number == 1
        && failures.withLock { left in
          left -= 1
          return left >= 0
        }
      if fails { throw Refused() }
      await effects.add(event)
    }
    let subscriber = EventSubscriber(.rewards, to: .social, subscription: subscription, bus: bus.bus, logger: .quiet)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await subscriber.run() }
      await effects.wait(for: 4)
      group.cancelAll()
    }
    #expect(await effects.bodies == (0..<4).map { Array("{\"n\":\($0)}".utf8) })
    #expect(subscriber.progress.done == 4)
    key.finish()
    await watching.value
  }

  @Test("While events take effect the next ones are read, each once, even if an effect fails at first")
  func fetchesAhead() async throws {
    let junction = try Wiring.memory.make()
    let asked = Mutex<[Int]>([])
    // Answers with three of nine events at a time.
    _ = try junction.bus(.social) { request in
      let id = request.header.id
      guard request.header.operation == EventExchange.fetch.rawValue,
        let input = try? EventExchange.FetchInput.decode(request.body), let after = input.after
      else { return Reply(header: ReplyHeader(id: id, status: 200), body: Empty().json) }
      asked.withLock { $0.append(after) }
      let events = (after + 1..<min(after + 4, 10)).map { number in
        WireEvent(
          LoggedEvent(
            number: Int64(number), name: "test.happened", at: .now, traceparent: nil, body: Array("{\"n\":\(number)}".utf8)))
      }
      let output = EventExchange.FetchOutput(epoch: "1", number: 9, through: after + events.count, events: events)
      return Reply(header: ReplyHeader(id: id, status: 200), body: output.json)
    }
    let bus = try junction.bus(.rewards)
    let effects = Effects()
    let failures = Mutex(1)
    struct Refused: Error {}
    let subscription = MemoryEventSubscription { event, _ in
      // Those after the first of three were asked for before it takes effect; were they not, this would never end.
      let next = Int(event.number) + 2
      while event.number % 3 == 1, next < 9, !asked.withLock({ $0.contains(next) }) { await Task.yield() }
      let fails =
        event.number == 4
        && failures.withLock { left in
          left -= 1
          return left >= 0
        }
      if fails { throw Refused() }
      await effects.add(event)
    }
    let start = LogHead(epoch: "1", number: 0)
    try await subscription.apply(SnapshotPage(head: start, events: [], nextKey: nil), of: .social, isLast: true, from: start)
    let subscriber = EventSubscriber(.rewards, to: .social, subscription: subscription, bus: bus.bus, logger: .quiet)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await subscriber.run() }
      await subscription.reaches(9, of: .social)
      group.cancelAll()
    }
    #expect(await effects.bodies == (1...9).map { Array("{\"n\":\($0)}".utf8) })
    #expect(asked.withLock { $0 } == [0, 3, 6])
  }

  @Test("A subscriber without a cursor asks for the state that it needs, and one that must begin again for all of it")
  func initialState() async throws {
    let names: Set<String> = ["test.happened", "test.other"]
    for hasCursor in [false, true] {
      let junction = try Wiring.memory.make()
      let asked = Mutex<[[String]?]>([])
      _ = try snapshotOf(1, junction) { _, names in asked.withLock { $0.append(names) } }
      let bus = try junction.bus(.rewards)
      let effects = Effects()
      let subscription = MemoryEventSubscription { event, _ in await effects.add(event) }
      if hasCursor {
        // Of another life of the publisher.
        let start = LogHead(epoch: "0", number: 7)
        try await subscription.apply(SnapshotPage(head: start, events: [], nextKey: nil), of: .social, isLast: true, from: start)
      }
      let subscriber = EventSubscriber(
        .rewards, to: .social, subscription: subscription, bus: bus.bus, names: names, initialStateNames: ["test.happened"],
        logger: .quiet)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await subscriber.run() }
        await effects.wait(for: 1)
        group.cancelAll()
      }
      #expect(asked.withLock { $0 } == [hasCursor ? names.sorted() : ["test.happened"]])
    }
  }

  @Test(
    "A subscriber continues without a gap in a restored log, unless it has seen events that the copy lacks",
    arguments: Wiring.allCases)
  func restoredPublisher(wiring: Wiring) async throws {
    let junction = try wiring.make()
    let log = MemoryEventLog()
    let (publisherBus, publisher) = try publisher(log, junction)
    let services: [ServiceName] = [.notifications, .rewards]
    let effects = services.map { _ in Effects() }
    let buses = try services.map { try junction.bus($0) }
    var subscriptions: [MemoryEventSubscription] = []
    for own in effects { subscriptions.append(try await subscription { event, _ in await own.add(event) }) }
    /// Lets that one subscribe until it has had so many events and stands there.
    func subscribe(_ index: Int, until count: Int, at number: Int64) async {
      let subscriber = EventSubscriber(
        services[index], to: .social, subscription: subscriptions[index], bus: buses[index].bus, logger: .quiet)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await subscriber.run() }
        await effects[index].wait(for: count)
        await subscriptions[index].reaches(number, of: .social)
        group.cancelAll()
      }
    }
    let running = Task { await publisher.run() }
    for number in 1...10 { log.publish("test.happened", body(number)) }
    await subscribe(0, until: 10, at: 10)
    for number in 11...20 { log.publish("test.happened", body(number)) }
    await subscribe(1, until: 20, at: 20)
    // Twice, and with other events where the lost ones were.
    log.goBack(to: 15, epoch: "2")
    for number in 116...118 { log.publish("test.happened", body(number)) }
    log.goBack(to: 17, epoch: "3")
    for number in 218...220 { log.publish("test.happened", body(number)) }
    await subscribe(0, until: 20, at: 20)
    #expect(await effects[0].bodies == ([Int](1...15) + [116, 117, 218, 219, 220]).map { body($0) })
    #expect(await subscriptions[0].cursor(of: .social) == LogHead(epoch: "3", number: 20))
    // The other one has the snapshot, which is empty here, and what comes after.
    log.publish("test.happened", body(221))
    await subscribe(1, until: 20, at: 21)
    #expect(await effects[1].bodies == (1...20).map { body($0) })
    #expect(await subscriptions[1].cursor(of: .social) == LogHead(epoch: "3", number: 21))
    running.cancel()
    await running.value
    for bus in buses + [publisherBus] { await bus.stop() }
  }

  @Test("A subscriber whose cursor is of an unknown epoch begins again from the snapshot", arguments: Wiring.allCases)
  func noEpoch(wiring: Wiring) async throws {
    let junction = try wiring.make()
    let log = MemoryEventLog()
    let (publisherBus, publisher) = try publisher(log, junction)
    for number in 1...3 { log.publish("test.happened", body(number)) }
    let bus = try junction.bus(.rewards)
    let subscription = MemoryEventSubscription { _, _ in }
    let none = LogHead(epoch: "none", number: 0)
    try await subscription.apply(SnapshotPage(head: none, events: [], nextKey: nil), of: .social, isLast: true, from: none)
    let subscriber = EventSubscriber(.rewards, to: .social, subscription: subscription, bus: bus.bus, logger: .quiet)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await publisher.run() }
      group.addTask { await subscriber.run() }
      await subscription.reaches(3, of: .social)
      group.cancelAll()
    }
    #expect(await subscription.cursor(of: .social)?.epoch != none.epoch)
    await bus.stop()
    await publisherBus.stop()
  }

  @Test("Only the subscriber itself moves its cursor, and accounts cannot read the log")
  func rights() async throws {
    let log = MemoryEventLog()
    let publisher = EventPublisher(.social, log: log, bus: MemoryBus(.social, on: MemoryExchange()), logger: .quiet)
    func code(_ operation: String, _ body: String, _ caller: Caller) async -> String? {
      await publisher.answer(.test(operation, body: Array(body.utf8), caller: caller))?.code
    }
    #expect(await code("events.fetch", #"{"limit":5}"#, .service(.rewards)) == nil)
    #expect(await code("events.fetch", #"{"limit":5}"#, Caller(kind: .anonymous)) == "forbidden")
    let body = #"{"subscriber":"activity","epoch":"1","number":3}"#
    #expect(await code("events.acknowledge", body, .service(.rewards)) == "forbidden")
    #expect(await code("events.acknowledge", body, .service(.activity)) == nil)
    #expect(log.acknowledgement(of: .activity) == LogHead(epoch: "1", number: 3))
    for number in 1...9 { log.publish("test.happened", self.body(number)) }
    log.prune(through: 5)
    #expect(await code("events.fetch", #"{"epoch":"1","after":2,"limit":5}"#, .service(.rewards)) == "events_pruned")
  }
}

/// The publisher needs the bus, whose handler needs the publisher.
private final class PublisherBox: Sendable {
  private let value = Mutex<EventPublisher?>(nil)
  var publisher: EventPublisher? { value.withLock { $0 } }
  func set(_ publisher: EventPublisher) { value.withLock { $0 = publisher } }
}
