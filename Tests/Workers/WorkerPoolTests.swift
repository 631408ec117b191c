import Dispatch
import Operations
import Testing
import Workers

@Suite("The pool of workers", .timeLimit(.minutes(1)))
struct WorkerPoolTests {
  /// Work that waits until it is let go, and says when it has begun.
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

  @Test("A pool of workers runs as many jobs as it has threads, lets some wait, and refuses the rest as overloaded")
  func bounds() async throws {
    let pool = WorkerPool(label: "test", threads: 2, maxWaiting: 3)
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
      // Two of the five find no room; then the gate opens.
      var refused = outcomes.stream.makeAsyncIterator()
      _ = await refused.next()
      _ = await refused.next()
      gate.open(2)
      let sum = try await group.reduce(0, +)
      #expect(sum == 2 + 3 * 10 + 2 * 100)
    }
    #expect(try await pool.run { 7 } == 7)
  }

  @Test("A pool of workers frees the position of a caller that is cancelled while it waits")
  func cancellation() async throws {
    let pool = WorkerPool(label: "test", threads: 1, maxWaiting: 1)
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

  @Test("A pool of workers lets accounts take turns, and slows down an account beyond its share")
  func fairness() async throws {
    let pool = WorkerPool(label: "test", threads: 1, maxWaiting: 8, maxWaitingPerAccount: 4)
    let ana = AccountID()
    let gate = Gate()
    var begun = gate.begun.makeAsyncIterator()
    let order = AsyncStream<String>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await pool.run(for: ana) { gate.pass() } }
      _ = await begun.next()
      // Of six more of the same account four may wait.
      let refused = AsyncStream<Void>.makeStream()
      for _ in 0..<6 {
        group.addTask {
          do {
            try await pool.run(for: ana) { _ = order.continuation.yield("ana") }
          } catch let failure as Failure {
            #expect(failure.code == "rate_limited" && failure.status == 429)
            refused.continuation.yield()
          }
        }
      }
      var refusals = refused.stream.makeAsyncIterator()
      _ = await refusals.next()
      _ = await refusals.next()
      // Of six others as many wait as there is room for beside hers.
      let full = AsyncStream<Void>.makeStream()
      for _ in 0..<6 {
        group.addTask {
          do {
            try await pool.run(for: AccountID()) { _ = order.continuation.yield("other") }
          } catch let failure as Failure {
            #expect(failure.code == "overloaded" && failure.status == 503)
            full.continuation.yield()
          }
        }
      }
      var overloads = full.stream.makeAsyncIterator()
      _ = await overloads.next()
      _ = await overloads.next()
      gate.open()
      try await group.waitForAll()
    }
    order.continuation.finish()
    let turns = await order.stream.reduce(into: [String]()) { $0.append($1) }
    #expect(turns.count == 8 && turns.filter { $0 == "ana" }.count == 4)
    // Before the second of hers come all others.
    let second = turns.indices.filter { turns[$0] == "ana" }.dropFirst().first ?? 0
    #expect(turns.prefix(second).filter { $0 != "ana" }.count == 4, "\(turns)")
  }

  @Test("A pool of workers passes on the error that a job throws")
  func failure() async throws {
    struct Trouble: Error {}
    let pool = WorkerPool(label: "test", threads: 1, maxWaiting: 1)
    await #expect(throws: Trouble.self) { try await pool.run { throw Trouble() } }
    #expect(try await pool.run { 1 } == 1)
  }
}
