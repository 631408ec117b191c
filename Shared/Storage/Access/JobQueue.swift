import Dispatch
import GRDB
import Metrics
import Operations
import Synchronization

/// A bounded queue of jobs for one or more connections. A free connection takes many jobs at a time; large jobs take turns, see
/// ``WaitingJobs``.
///
/// The jobs run on the connection's own serial GRDB queue.
///
/// If a batch has a high fixed cost, as a commit does, and many callers are active, the next batch waits a little for half of them to
/// submit again: see ``Gathering``.
final class JobQueue<Job: Sendable>: Sendable {
  /// When a batch waits for more jobs.
  struct Gathering {
    /// After a batch of fewer jobs the next one follows at once: a single caller never waits for others.
    var minimum: Int
    /// The longest wait.
    var patience: Duration
  }

  private struct State {
    var waiting: WaitingJobs<Job>
    /// The size of the last batch, and how many jobs the next one is waiting for.
    var last = 0
    var wanted = 0
    var idle: [DatabaseQueue]
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>
  private let connections: Int
  private let capacity: Int
  private let batch: Int
  private let depth: Gauge
  private let gathering: Gathering?
  private let enough = DispatchSemaphore(value: 0)
  private let work: @Sendable ([Job], Database) -> Void

  /// - Parameters:
  ///   - gathering: only for a single connection.
  /// - owner: the owner of a large job, which is done by itself; nil for most jobs.
  init(
    _ connections: [DatabaseQueue], capacity: Int, batch: Int, gathering: Gathering? = nil, depth: Gauge,
    owner: @escaping @Sendable (Job) -> String? = { _ in nil }, work: @escaping @Sendable ([Job], Database) -> Void
  ) {
    state = Mutex(State(waiting: WaitingJobs(owner: owner), idle: connections))
    self.connections = connections.count
    self.capacity = capacity
    self.batch = batch
    self.gathering = gathering
    self.depth = depth
    self.work = work
  }

  /// Queues a job. Throws `overloaded` if the queue, or its owner's part of it, is full, `unavailable` if the queue is closed.
  func submit(_ job: Job) throws(Failure) {
    let (connection, isEnough) = try state.withLock { state throws(Failure) -> (DatabaseQueue?, Bool) in
      guard !state.isClosed else { throw .closed }
      guard state.waiting.count < capacity, state.waiting.append(job) else {
        throw Failure(RequestFailure.overloaded, retryAfterSeconds: 1)
      }
      return (state.idle.popLast(), state.waiting.count == state.wanted)
    }
    if isEnough { enough.signal() }
    if let connection { serve(connection) }
  }

  /// Refuses further jobs and returns when all accepted jobs are done.
  func close() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        state.isClosed = true
        let isDone = state.idle.count == connections
        if !isDone { state.closers.append(continuation) }
        return isDone
      }
      if isDone { continuation.resume() }
    }
  }

  /// Runs one batch, then queues itself again after other work that waits for the connection.
  private func serve(_ connection: DatabaseQueue) {
    connection.asyncWriteWithoutTransaction { [self] database in
      gather()
      let jobs = state.withLock { state in
        let jobs = state.waiting.next(atMost: batch)
        (state.wanted, state.last) = (0, jobs.count)
        return jobs
      }
      if !jobs.isEmpty { work(jobs, database) }
      let (count, closers) = state.withLock { state -> (Int, [CheckedContinuation<Void, Never>]) in
        guard state.waiting.isEmpty else { return (state.waiting.count, []) }
        state.idle.append(connection)
        guard state.idle.count == connections else { return (0, []) }
        defer { state.closers = [] }
        return (0, state.closers)
      }
      depth.record(count)
      if count > 0 { serve(connection) }
      for closer in closers { closer.resume() }
    }
  }
}

extension JobQueue {
  /// How many jobs the next batch is waiting for; 0 if it is not waiting.
  var wanted: Int { state.withLock { $0.wanted } }

  /// How many jobs wait.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Returns when half of the active callers have submitted a job, or the patience is over. Meanwhile the answers of the last batch are on
  /// their way to the other callers, so that neither the connection nor its callers are idle.
  private func gather() {
    guard let gathering else { return }
    let isEnough = state.withLock { state in
      guard state.last >= gathering.minimum, !state.isClosed else { return true }
      let half = (state.last + state.waiting.count) / 2
      guard state.waiting.count < half else { return true }
      state.wanted = half
      return false
    }
    // A signal left over from an earlier wait ends this one early, which does no harm.
    if !isEnough { _ = enough.wait(timeout: .now() + .nanoseconds(Int(gathering.patience.nanoseconds))) }
  }
}

extension Failure {
  /// The store is closed, or the request was rolled back through no fault of its own.
  static let closed = Failure(RequestFailure.unavailable, retryAfterSeconds: 1)
}
