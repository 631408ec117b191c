import Foundation
import Logging
import Messaging
import Operations
import ServiceKit
import Storage
import Synchronization
import Testing

@Suite("A service's readiness")
struct ReadinessTests {
  /// Holds an effect back until it is opened.
  private final class Barrier: Sendable {
    private let state = Mutex((isOpen: false, wasTried: false))

    var wasTried: Bool { state.withLock { $0.wasTried } }

    func open() { state.withLock { $0.isOpen = true } }

    func pass() throws {
      let isOpen = state.withLock { state in
        state.wasTried = true
        return state.isOpen
      }
      if !isOpen { throw Failure(RequestFailure.unavailable) }
    }
  }

  @Test("is said when what was told while it was away has taken effect, and stays")
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
    reader.hear(Notebook.NoteAdded.self) { _, _, _ in try barrier.pass() }
    let readerHost = try ServiceHost(reader, environment(.rewards))
    let reading = Task { try await readerHost.run() }
    defer { reading.cancel() }
    let client = ServiceClient(bus: MemoryBus(.gateway, on: exchange), service: .gateway, clock: .system)
    func isReady(_ service: ServiceName) async throws -> Bool {
      try await client.request(ReadHealth.self, .init(), to: service).isReady
    }

    // The teller is away: nobody knows what it has told.
    #expect(try await !isReady(.rewards))
    let teller = environment(.social)
    let tellerHost = try ServiceHost(Notebook.service(teller), teller)
    try await tellerHost.store.write { try $0.tell(Notebook.NoteAdded(text: "a")) }
    let telling = Task { try await tellerHost.run() }
    defer { telling.cancel() }
    // It hears nobody, so nothing is missing.
    #expect(try await isReady(.social))
    try await until { barrier.wasTried }
    #expect(try await !isReady(.rewards))
    barrier.open()
    try await until { try await isReady(.rewards) }
    #expect(try await tellerHost.store.log.head().number == 1)
  }

  private func until(_ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    // A state that is only asked for, never announced.
    while try await !condition() {
      try #require(ContinuousClock.now < end)
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
