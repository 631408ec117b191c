import Dispatch
import Operations
import Synchronization

/// Runs costly work on a few threads of its own, so that it never holds up the tasks of the rest of the process.
///
/// What does not fit into the queue is refused with `overloaded`: more waiting would only make everyone late.
public final class WorkerPool: Sendable {
  private struct Job {
    let id: UInt64
    let run: @Sendable () -> Void
    let cancel: @Sendable () -> Void
  }

  private struct State {
    var running = 0
    var waiting: [Job] = []
    var nextID: UInt64 = 0
  }

  private let threads: Int
  private let mostWaiting: Int
  private let queue: DispatchQueue
  private let state = Mutex(State())

  /// - Parameters:
  ///   - threads: how many do the work.
  ///   - mostWaiting: how much may wait for them; beyond it comes `overloaded`.
  public init(label: String, threads: Int, mostWaiting: Int) {
    self.threads = threads
    self.mostWaiting = mostWaiting
    queue = DispatchQueue(label: label, attributes: .concurrent)
  }

  /// Waits for a thread, and for the work. Cancelling gives up the place in the queue; work that has begun is finished.
  ///
  /// - Throws: `overloaded` if too much is waiting, `CancellationError`, or what the work throws.
  public func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try Task.checkCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        submit(
          Job(
            id: id, run: { continuation.resume(with: Result { try work() }) },
            cancel: { continuation.resume(throwing: CancellationError()) }),
          refuse: { continuation.resume(throwing: Failure(RequestFailure.overloaded, retryAfterSeconds: 1)) })
      }
    } onCancel: {
      cancel(id)
    }
  }

  private enum Place { case thread, queue, refused }

  private func submit(_ job: Job, refuse: () -> Void) {
    let place: Place = state.withLock { state in
      if state.running < threads {
        state.running += 1
        return .thread
      }
      guard state.waiting.count < mostWaiting else { return .refused }
      state.waiting.append(job)
      return .queue
    }
    switch place {
    case .thread: queue.async { [self] in work(from: job) }
    case .queue: break
    case .refused: refuse()
    }
  }

  /// Works until nothing waits.
  private func work(from first: Job) {
    var next: Job? = first
    while let job = next {
      job.run()
      next = state.withLock { state in
        guard !state.waiting.isEmpty else {
          state.running -= 1
          return nil
        }
        return state.waiting.removeFirst()
      }
    }
  }

  private func cancel(_ id: UInt64) {
    let job: Job? = state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
      return state.waiting.remove(at: index)
    }
    job?.cancel()
  }
}
