import Dispatch
import Operations
import Testing
import Workers

@Suite("The pool of workers")
struct WorkerPoolTests {
  /// Work that waits until it is let go, and tells when it has begun.
  private final class Gate: Sendable {
    let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation
    private let semaphore = DispatchSemaphore(value: 0)

    init() { (begun, begin) = AsyncStream.makeStream() }

    func pass() {
      begin.yield()
      semaphore.wait()
    }

    func open(_ times: Int = 1) { for _ in 0..<times { semaphore.signal() } }
  }

  @Test("works on as many as it has threads, lets as many wait as it may, and refuses the rest as overloaded")
  func bounds() async throws {
    let pool = WorkerPool(label: "test", threads: 2, mostWaiting: 3)
    let gate = Gate()
    var begun = gate.begun.makeAsyncIterator()
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        try await pool.run {
          gate.pass(); return 1
        }
      }
      group.addTask {
        try await pool.run {
          gate.pass(); return 1
        }
      }
      _ = await begun.next()
      _ = await begun.next()
      let outcomes = AsyncStream<Int>.makeStream()
      for _ in 0..<5 {
        group.addTask {
          do {
            return try await pool.run { 10 }
          } catch let failure as Failure {
            #expect(failure.code == "overloaded" && failure.status == 503)
            outcomes.continuation.yield(1)
            return 100
          }
        }
      }
      // Two of the five find no place; then the gate opens.
      var refused = outcomes.stream.makeAsyncIterator()
      _ = await refused.next()
      _ = await refused.next()
      gate.open(2)
      let sum = try await group.reduce(0, +)
      #expect(sum == 2 + 3 * 10 + 2 * 100)
    }
    #expect(try await pool.run { 7 } == 7)
  }

  @Test("gives up the place of a caller that is cancelled while it waits")
  func cancellation() async throws {
    let pool = WorkerPool(label: "test", threads: 1, mostWaiting: 1)
    let gate = Gate()
    var begun = gate.begun.makeAsyncIterator()
    let running = Task { try await pool.run { gate.pass() } }
    _ = await begun.next()
    let waiting = Task { try await pool.run { Issue.record("cancelled work was done") } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    let next = Task { try await pool.run { 5 } }
    gate.open()
    try await running.value
    #expect(try await next.value == 5)
  }

  @Test("hands on what the work throws")
  func failure() async throws {
    struct Trouble: Error {}
    let pool = WorkerPool(label: "test", threads: 1, mostWaiting: 1)
    await #expect(throws: Trouble.self) { try await pool.run { throw Trouble() } }
    #expect(try await pool.run { 1 } == 1)
  }
}
