import Foundation
import Glibc
import Logging
import Messaging
import Operations
import ServiceKit
import ServiceLifecycle
import Storage
import Testing
import UnixSignals

@Suite("A service that is asked to stop", .serialized)
struct StoppingTests {
  /// A service over real sockets, whose one operation waits until the test lets it go on.
  private struct Running {
    let group: ServiceGroup
    let gateway: ZeroMQBus
    let entered: AsyncStream<Void>
    let release: AsyncStream<Void>.Continuation

    func lose() async throws(BusFailure) -> Reply {
      let header = RequestHeader(
        id: ID<RequestHeader>().description, operation: Notebook.LoseNote.spec.name, caller: Caller(kind: .anonymous),
        deadline: Instant.now.adding(seconds: 30))
      return try await gateway.request(Request(header: header, body: Empty().json), to: .social)
    }

    /// Returns when the service has come up.
    func reachable() async throws {
      while true {
        do {
          if try await gateway.request(count(), to: .social).header.status == 200 { return }
        } catch BusFailure.unavailable {
          await Task.yield()
        }
      }
    }

    /// Returns when the service takes nothing new, as from the moment on when the bus begins to stop: what is asked is kept for a
    /// successor, and none comes.
    func takesNothingNew() async throws {
      while true {
        do throws(BusFailure) {
          _ = try await gateway.request(count(within: 500), to: .social)
        } catch {
          // On a busy machine an answer may just be late.
          if error == .unavailable { return }
        }
      }
    }

    func count(within milliseconds: Int64 = 30_000) -> Request {
      Request(
        header: RequestHeader(
          id: ID<RequestHeader>().description, operation: Notebook.CountNotes.spec.name, caller: Caller(kind: .anonymous),
          deadline: Instant.now.adding(milliseconds: milliseconds)),
        body: Empty().json)
    }
  }

  /// - Returns: how many events the service had published when it had stopped, and how long it took from the signal on.
  private func run(_ body: @escaping @Sendable (Running) async throws -> Void) async throws -> (published: Int64, took: Duration)
  {
    let home = Home(path: "/tmp/racha-stop-\(UInt32.random(in: .min ... .max))")
    try Home.makePrivateFolder(home.path)
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let (entered, enter) = AsyncStream<Void>.makeStream()
    let (released, release) = AsyncStream<Void>.makeStream()
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: home,
      bus: ZeroMQBus(.social, endpoints: .local(directory: home.sockets), logger: logger), logger: logger)
    var service = Notebook.service(environment)
    service.serve(Notebook.LoseNote.self) { (_, call) in
      enter.yield()
      for await _ in released { break }
      // The store is open for it still.
      try await call.write { try $0.publish(Notebook.NoteAdded(text: "lost")) }
      return Empty()
    }
    let host = try ServiceHost(service, environment)
    let gateway = ZeroMQBus(.gateway, endpoints: .local(directory: home.sockets), logger: logger)
    try gateway.start()
    let group = ServiceGroup(
      configuration: .init(services: [.init(service: host)], gracefulShutdownSignals: [.sigterm], logger: logger))
    let running = Running(group: group, gateway: gateway, entered: entered, release: release)
    let took = try await withThrowingTaskGroup(of: Void.self, returning: Duration.self) { tasks in
      tasks.addTask { try await group.run() }
      let outcome: Result<Void, any Error>
      do {
        try await running.reachable()
        outcome = .success(try await body(running))
      } catch {
        outcome = .failure(error)
      }
      let start = ContinuousClock.now
      release.finish()
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
      try outcome.get()
      return ContinuousClock.now - start
    }
    await gateway.stop()
    let store = try Store(
      path: "\(home.stores)/social.sqlite", service: .social, migrations: Notebook.migrations,
      secret: try home.secret("social.store"), logger: logger)
    let published = try await store.log.head().number
    await store.close()
    return (published, took)
  }

  @Test("A service that is asked to stop finishes running requests, accepts no new ones, and ends within 5 seconds")
  func inFlight() async throws {
    let (published, took) = try await run { running in
      async let reply = running.lose()
      for await _ in running.entered { break }
      // The signal itself, as the launcher sends it; the group takes it from here on.
      #expect(kill(getpid(), SIGTERM) == 0)
      try await running.takesNothingNew()
      running.release.yield()
      #expect(try await reply.header.status == 200)
    }
    #expect(published == 1)
    // Within 5 s on a quiet machine; on a busy one, long before the request's deadline.
    #expect(took < .seconds(20))
  }

  @Test("A service that is asked to stop does not wait forever for running requests")
  func stuck() async throws {
    let start = ContinuousClock.now
    _ = try await run { running in
      let reply = Task { try await running.lose() }
      for await _ in running.entered { break }
      await running.group.triggerGracefulShutdown()
      // Nobody lets it go: the caller gets an error, instead of left to wait for its deadline.
      await #expect(throws: BusFailure.unavailable) { try await reply.value }
    }
    #expect(ContinuousClock.now - start < .seconds(20))
  }
}
