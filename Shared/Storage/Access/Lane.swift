import GRDB
import Metrics
import Operations
import Synchronization

/// A bounded queue of jobs before one or more connections. A connection that is free takes many of them at a time.
///
/// The connection's own serial queue of GRDB is the thread on which its jobs run.
final class Lane<Job: Sendable>: Sendable {
  private struct State {
    var waiting: [Job] = []
    var idle: [DatabaseQueue]
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>
  private let connections: Int
  private let capacity: Int
  private let batch: Int
  private let depth: Gauge
  private let work: @Sendable ([Job], Database) -> Void

  init(
    _ connections: [DatabaseQueue], capacity: Int, batch: Int, depth: Gauge, work: @escaping @Sendable ([Job], Database) -> Void
  ) {
    state = Mutex(State(idle: connections))
    self.connections = connections.count
    self.capacity = capacity
    self.batch = batch
    self.depth = depth
    self.work = work
  }

  /// Queues a job. Throws `overloaded` when the queue is full, `unavailable` when the lane is closed.
  func submit(_ job: Job) throws(Failure) {
    let connection = try state.withLock { state throws(Failure) -> DatabaseQueue? in
      guard !state.isClosed else { throw .closed }
      guard state.waiting.count < capacity else { throw Failure(RequestFailure.overloaded, retryAfterSeconds: 1) }
      state.waiting.append(job)
      return state.idle.popLast()
    }
    if let connection { serve(connection) }
  }

  /// Refuses further jobs and returns when all that were taken are done.
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

  /// One batch, and then again behind whatever else waits for the connection.
  private func serve(_ connection: DatabaseQueue) {
    connection.asyncWriteWithoutTransaction { [self] database in
      let jobs = state.withLock { state in
        guard state.waiting.count > batch else {
          defer { state.waiting = [] }
          return state.waiting
        }
        defer { state.waiting.removeFirst(batch) }
        return Array(state.waiting.prefix(batch))
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

extension Failure {
  /// The store is closed, or what was asked of it was undone through no fault of its own.
  static let closed = Failure(RequestFailure.unavailable, retryAfterSeconds: 1)
}
