import Logging
import ServiceKit
import ServiceLifecycle
import Synchronization
import Testing

@Suite("Repeated work", .timeLimit(.minutes(1)))
struct RepeatingTests {
  private struct Worker: ServiceLifecycle.Service {
    let pause: Duration
    let work: @Sendable () async throws -> Void

    func run() async throws {
      do {
        try await repeating(every: pause, work)
      } catch is CancellationError {
        // Asked to stop.
      }
    }
  }

  @Test(
    "Repeated work begins at once, continues after each pause, and is interrupted in a pause when the service stops",
    arguments: [(Duration.zero, 5), (.seconds(3600), 1)])
  func repeats(pause: Duration, times: Int) async throws {
    let (done, note) = AsyncStream<Void>.makeStream()
    let worker = Worker(pause: pause) { note.yield() }
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: worker, successTerminationBehavior: .ignore)],
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      var left = times
      for await _ in done {
        left -= 1
        if left == 0 { break }
      }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  @Test("Repeated work ends with its failure, for its runner to restart it")
  func fails() async throws {
    struct Trouble: Error {}
    let count = Mutex(0)
    await #expect(throws: Trouble.self) {
      try await repeating(every: .zero) {
        let times = count.withLock { count in
          count += 1
          return count
        }
        if times == 3 { throw Trouble() }
      }
    }
    #expect(count.withLock { $0 } == 3)
  }
}
