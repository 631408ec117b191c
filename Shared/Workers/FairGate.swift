public import Operations
import Synchronization

/// Admits costly work in turns of accounts, one piece of each at a time, so that no account makes the others wait for more than one piece.
///
/// Work beyond the limits is refused: a longer queue would only delay everyone.
public final class FairGate: Sendable {
  private typealias Turn = CheckedContinuation<Void, any Error>

  private struct State {
    var queue: FairQueue<Turn>
    var nextID: UInt64 = 0
  }

  private let state: Mutex<State>

  public init(_ limits: FairLimits) { state = Mutex(State(queue: FairQueue(limits))) }

  /// Waits for the account's turn, and does the work.
  ///
  /// Cancelling gives up the position in the queue; work that has begun has to check for cancellation itself.
  ///
  /// - Parameter account: the account that the work is for; nil for a caller without an account (yet).
  /// - Throws: `rate_limited` if too much of the account waits, `overloaded` if too much of all does, `CancellationError`, or what the
  ///   work throws.
  public func run<T: Sendable>(for account: AccountID?, _ work: @Sendable () async throws -> T) async throws -> T {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await enter(id, account)
    defer { leave(id, account) }
    return try await work()
  }

  private func enter(_ id: UInt64, _ account: AccountID?) async throws {
    try Task.checkCancellation()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (turn: Turn) in
        switch state.withLock({ $0.queue.submit(turn, id, of: account) }) {
        case .running: turn.resume()
        // The task may have been cancelled before it was queued.
        case .waiting: if Task.isCancelled { cancel(id, account) }
        case .refused(let reason): turn.resume(throwing: Failure(reason, retryAfterSeconds: 1))
        }
      }
    } onCancel: {
      cancel(id, account)
    }
  }

  private func leave(_ id: UInt64, _ account: AccountID?) {
    state.withLock { $0.queue.finish(id, of: account) }?.resume()
  }

  private func cancel(_ id: UInt64, _ account: AccountID?) {
    state.withLock { $0.queue.remove(id, of: account) }?.resume(throwing: CancellationError())
  }
}
