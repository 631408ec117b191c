import Dispatch
import GRDB
import Metrics
import Synchronization
import Testing

@testable import Storage

/// Batches of numbers, on a connection that nobody else has.
@Suite("A job slot that gathers a batch", .timeLimit(.minutes(1)))
struct JobQueueTests {
  /// What the batches held, and the hold that the test has on the first.
  private final class Work: Sendable {
    let batches = Mutex<[[Int]]>([])
    let entered = DispatchSemaphore(value: 0)
    let released = DispatchSemaphore(value: 0)
    let done: AsyncStream<Int>
    private let finish: AsyncStream<Int>.Continuation

    init() { (done, finish) = AsyncStream.makeStream(of: Int.self) }

    /// The job 0 holds the slot until the test releases it.
    func perform(_ jobs: [Int]) {
      if jobs.contains(0) {
        entered.signal()
        released.wait()
      }
      batches.withLock { $0.append(jobs) }
      for job in jobs { finish.yield(job) }
    }

    /// Returns when so many jobs more are done.
    func wait(for count: Int) async {
      var left = count
      for await _ in done {
        left -= 1
        if left == 0 { return }
      }
    }
  }

  private func queue(_ work: Work, minimum: Int, patience: Duration) throws -> JobQueue<Int> {
    JobQueue(
      [try DatabaseQueue()], capacity: 100, batch: 50, gathering: .init(minimum: minimum, patience: patience),
      depth: Gauge(label: "test")
    ) { jobs, _ in work.perform(jobs) }
  }

  /// A batch of one, and then one of `count`.
  private func two(_ queue: JobQueue<Int>, _ work: Work, _ count: Int) async throws {
    try queue.submit(0)
    work.entered.wait()
    for job in 1...count { try queue.submit(job) }
    work.released.signal()
    await work.wait(for: count + 1)
  }

  @Test("After a large batch a slot waits until half as many jobs have come, and no longer")
  func gathers() async throws {
    let work = Work()
    let queue = try queue(work, minimum: 3, patience: .seconds(50))
    try await two(queue, work, 10)
    try queue.submit(11)
    while queue.wanted == 0, work.batches.withLock({ $0.count }) == 2 { await Task.yield() }
    // It stays where it is until as many as are wanted have come: half of ten, or of the eleven.
    #expect(queue.wanted == 5)
    #expect(work.batches.withLock { $0 } == [[0], Array(1...10)])
    for job in 12...15 { try queue.submit(job) }
    await work.wait(for: 5)
    #expect(work.batches.withLock { $0 } == [[0], Array(1...10), Array(11...15)])
    await queue.close()
  }

  @Test("A slot stops waiting after its patience if fewer jobs come")
  func patience() async throws {
    let work = Work()
    let queue = try queue(work, minimum: 3, patience: .milliseconds(1))
    try await two(queue, work, 4)
    try queue.submit(5)
    await work.wait(for: 1)
    #expect(work.batches.withLock { $0 } == [[0], [1, 2, 3, 4], [5]])
    await queue.close()
  }

  @Test("After a small batch a slot does not wait")
  func few() async throws {
    let work = Work()
    let queue = try queue(work, minimum: 3, patience: .seconds(50))
    try await two(queue, work, 2)
    try queue.submit(3)
    await work.wait(for: 1)
    #expect(work.batches.withLock { $0 } == [[0], [1, 2], [3]])
    await queue.close()
  }
}
