import Dispatch
public import Operations

/// Runs costly work on a few threads of its own, so that it never holds up the tasks of the rest of the process; accounts take turns, see
/// ``FairGate``.
public final class WorkerPool: Sendable {
  private let gate: FairGate
  private let queue: DispatchQueue

  /// - Parameters:
  ///   - threads: how many threads do the work.
  ///   - maxWaiting: how much work may wait for them; beyond it, `overloaded`.
  ///   - maxWaitingPerAccount: how much of one account's may wait; beyond it, `rate_limited`.
  public init(label: String, threads: Int, maxWaiting: Int, maxWaitingPerAccount: Int = .max) {
    gate = FairGate(
      FairLimits(maxRunning: threads, maxWaiting: maxWaiting, maxWaitingPerAccount: maxWaitingPerAccount))
    queue = DispatchQueue(label: label, attributes: .concurrent)
  }

  /// Waits for a thread, and for the work. Cancelling gives up the position in the queue; work that has begun is finished.
  ///
  /// - Parameter account: the account that the work is for, of which one piece runs at a time; nil for work without an account.
  /// - Throws: `overloaded` if too much is waiting, `rate_limited` if too much of the account's is, `CancellationError`, or what the work
  ///   throws.
  public func run<T: Sendable>(
    for account: AccountID? = nil, _ work: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await gate.run(for: account) { [queue] in
      try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Result { try work() }) }
      }
    }
  }
}
