import Foundation
import GRDB
import InMemoryBus
import Logging
import Messaging
import Operations
import ServiceKit
import ServiceLifecycle
import Storage
import Synchronization
import Testing

@Suite("A service's readiness")
struct ReadinessTests {
  /// Holds an effect back until it is opened.
  private final class Barrier: Sendable {
    private let state = Mutex((isOpen: false, tries: 0))

    /// How often somebody tried to pass since it was closed.
    var tries: Int { state.withLock { $0.tries } }

    func open() { state.withLock { $0.isOpen = true } }
    func close() { state.withLock { $0 = (false, 0) } }

    func pass() throws {
      let isOpen = state.withLock { state in
        state.tries += 1
        return state.isOpen
      }
      if !isOpen { throw Failure(RequestFailure.unavailable) }
    }
  }

  @Test("A service is ready once events published while it was down have taken effect, and stays so")
  func catchingUp() async throws {
    let barrier = Barrier()
    let home = Home(path: "/tmp/racha-kit-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let exchange = MemoryExchange()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    func environment(_ service: ServiceName) -> ServiceEnvironment {
      ServiceEnvironment(settings: Settings([:]), home: home, bus: MemoryBus(service, on: exchange), logger: logger)
    }
    var reader = ServiceDefinition(Contract(.rewards, operations: [], events: [], words: []), migrations: [])
    reader.subscribe(to: Notebook.NoteAdded.self) { _, _, _ in try barrier.pass() }
    let readerHost = try ServiceHost(reader, environment(.rewards))
    let reading = Task { try await readerHost.run() }
    defer { reading.cancel() }
    let client = ServiceClient(bus: MemoryBus(.gateway, on: exchange), service: .gateway, clock: .system)
    func health(_ service: ServiceName) async throws -> ReadHealth.Output {
      try await client.request(ReadHealth.self, .init(), to: service)
    }
    func isReady(_ service: ServiceName) async throws -> Bool { try await health(service).isReady }

    // The publisher is away: nobody knows what it has published.
    #expect(try await health(.rewards).problems == [HealthProblem(part: "subscriber.social", state: .catchingUp)])
    #expect(try await !isReady(.rewards))
    // Published where nobody hears of it: a host answers as soon as it is made, and its empty log would be all that there is.
    let earlier = ServiceEnvironment(
      settings: Settings([:]), home: home, bus: MemoryBus(.social, on: MemoryExchange()), logger: logger)
    let earlierHost = try ServiceHost(Notebook.service(earlier), earlier)
    try await earlierHost.store.write { try $0.publish(Notebook.NoteAdded(text: "a")) }
    await earlierHost.store.close()
    let publisher = environment(.social)
    let publisherHost = try ServiceHost(Notebook.service(publisher), publisher)
    let publishing = Task { try await publisherHost.run() }
    defer { publishing.cancel() }
    // It subscribes to nobody, so nothing is missing.
    #expect(try await isReady(.social))
    try await until { barrier.tries >= 1 }
    #expect(try await !isReady(.rewards))
    barrier.open()
    try await until { try await isReady(.rewards) }
    #expect(try await publisherHost.store.log.head().number == 1)

    // Ready once does not mean ready for ever: an effect that fails again and again is said.
    barrier.close()
    try await publisherHost.store.write { try $0.publish(Notebook.NoteAdded(text: "b")) }
    try await until { barrier.tries >= 4 }
    #expect(try await health(.rewards).problems == [HealthProblem(part: "subscriber.social", state: .stuck)])
    #expect(try await !isReady(.rewards))
    barrier.open()
    try await until { try await isReady(.rewards) }
  }

  /// A runner that does as it is asked.
  private struct PublishedEvents: ServiceLifecycle.Service {
    let body: @Sendable () async throws -> Void
    func run() async throws { try await body() }
  }

  private struct Accident: Error {}

  @Test("A service is not ready while a failed runner is not healthy again, and the runner is restarted")
  func failingRunner() async throws {
    let (begun, begin) = AsyncStream<Int>.makeStream()
    let isFixed = Mutex(false)
    let count = Mutex(0)
    try await Notebook.running(change: { service in
      service.run { _ in
        PublishedEvents {
          begin.yield(
            count.withLock { count in
              count += 1; return count
            })
          // Of a kind that nobody foresees.
          if !isFixed.withLock({ $0 }) { throw Accident() }
          try await gracefulShutdown()
        }
      }
    }) { client in
      for await number in begun where number == 3 { break }
      let health = try await client.send(ReadHealth.self, .init(), as: .service(.gateway))
      #expect(!health.isReady && health.problems == [HealthProblem(part: "PublishedEvents", state: .failing)])
      #expect(try await client.send(Notebook.CountNotes.self, .init()).count == 0)
      isFixed.withLock { $0 = true }
      try await until { try await client.send(ReadHealth.self, .init(), as: .service(.gateway)).isReady }
    }
  }

  @Test("A service is not ready while a runner exceeds its promised time")
  func stuckRunner() async throws {
    let (promised, promise) = AsyncStream<Void>.makeStream()
    let (resumed, resume) = AsyncStream<Void>.makeStream()
    try await Notebook.running(change: { service in
      service.run { _, pulse in
        PublishedEvents {
          pulse.promise(within: .zero)
          promise.yield()
          for await _ in resumed { break }
          pulse.promise(within: .seconds(600))
          promise.yield()
          try await gracefulShutdown()
        }
      }
    }) { client in
      var promises = promised.makeAsyncIterator()
      await promises.next()
      let health = try await client.send(ReadHealth.self, .init(), as: .service(.gateway))
      #expect(health.problems == [HealthProblem(part: "PublishedEvents", state: .stuck)])
      resume.yield()
      await promises.next()
      #expect(try await client.send(ReadHealth.self, .init(), as: .service(.gateway)).isReady)
    }
  }

  @Test("A service stays ready when a runner's work is done")
  func finishedRunner() async throws {
    let (done, finish) = AsyncStream<Void>.makeStream()
    try await Notebook.running(change: { service in
      service.run { _, pulse in
        PublishedEvents {
          pulse.promise(within: .zero)
          finish.yield()
        }
      }
    }) { client in
      for await _ in done { break }
      try await until { try await client.send(ReadHealth.self, .init(), as: .service(.gateway)).isReady }
    }
  }

  private func until(_ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    // A state that is only asked for, never announced.
    while try await !condition() {
      try #require(ContinuousClock.now < end)
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  @Test("A service stays ready on a full disk: events wait, and take effect once there is room")
  func fullDisk() async throws {
    let home = Home(path: "/tmp/racha-kit-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let exchange = MemoryExchange()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    func environment(_ service: ServiceName) -> ServiceEnvironment {
      ServiceEnvironment(settings: Settings([:]), home: home, bus: MemoryBus(service, on: exchange), logger: logger)
    }
    var reader = ServiceDefinition(
      Contract(.rewards, operations: [], events: [], words: []),
      migrations: [Migration(1, "received") { try $0.execute(sql: "CREATE TABLE received (text BLOB NOT NULL) STRICT") }])
    let tries = Mutex(0)
    reader.subscribe(to: Notebook.NoteAdded.self) { _, _, transaction in
      tries.withLock { $0 += 1 }
      try transaction.database.execute(sql: "INSERT INTO received VALUES (zeroblob(100000))")
    }
    let readerHost = try ServiceHost(reader, environment(.rewards))
    let reading = Task { try await readerHost.run() }
    defer { reading.cancel() }
    let publisher = environment(.social)
    let publisherHost = try ServiceHost(Notebook.service(publisher), publisher)
    let publishing = Task { try await publisherHost.run() }
    defer { publishing.cancel() }
    let client = ServiceClient(bus: MemoryBus(.gateway, on: exchange), service: .gateway, clock: .system)
    func health() async throws -> ReadHealth.Output { try await client.request(ReadHealth.self, .init(), to: .rewards) }
    try await until { try await health().isReady }

    // A limit of SQLite's own stands for the disk's.
    try await readerHost.store.write { try $0.database.execute(sql: "PRAGMA max_page_count = 1") }
    for number in 0..<3 { try await publisherHost.store.write { try $0.publish(Notebook.NoteAdded(text: "\(number)")) } }
    // More often than an effect may fail before its subscriber counts as stuck.
    try await until {
      let found = try await health()
      #expect(found.isReady, "\(found.problems)")
      return tries.withLock { $0 } > 5
    }
    try await until { readerHost.store.problem != nil }
    try await readerHost.store.write { try $0.database.execute(sql: "PRAGMA max_page_count = 1000000") }
    try await until {
      try await readerHost.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM received") } == 3
    }
    try await until { try await health().problems.isEmpty }
  }

}
