import Logging
import ServiceLifecycle
import Testing

@testable import ServiceKit

@Suite("A runner", .timeLimit(.minutes(1)))
struct RunnerTests {
  private struct Work: ServiceLifecycle.Service {
    let work: @Sendable () async throws -> Void

    func run() async throws { try await work() }
  }

  @Test("A runner may end its work while the service stops, before its turn to stop")
  func endsOutOfTurn() async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let (stopping, stop) = AsyncStream<Void>.makeStream()
    let (ended, end) = AsyncStream<Void>.makeStream()
    let (running, run) = AsyncStream<Void>.makeStream()
    let first = Runner("first", logger: logger) { _ in
      Work {
        run.finish()
        for await _ in stopping {}
        end.finish()
      }
    }
    // Asked to stop before the first one, and stops only when that one's work is done.
    let second = Runner("second", logger: logger) { _ in
      Work {
        for await _ in running {}
        try? await gracefulShutdown()
        stop.finish()
        for await _ in ended {}
        for _ in 0..<1_000 { await Task.yield() }
      }
    }
    let group = ServiceGroup(
      configuration: .init(
        services: [
          .init(service: first, successTerminationBehavior: .ignore),
          .init(service: second, successTerminationBehavior: .ignore),
        ], logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      for await _ in running {}
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }
}
