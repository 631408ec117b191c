import ActivityContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage
import Synchronization

/// Removes the rows of deleted activities in steps. What is to do is in the store, so that a process which was killed goes on where it was;
/// the activities take turns, so that none waits for the end of another.
struct DeletedActivityWorker: ServiceLifecycle.Service {
  /// Rows that are removed in one step. Few at first: each may have a photo.
  static let limits = StepLimits(first: 8, max: 500)

  let store: Store
  let signal: WakeSignal

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      let turn = Turn()
      repeat {
        try await store.writeInSteps(of: "deleted activities", Self.limits) { try remove(atMost: $0, turn, $1) }
      } while await signal.wait()
    }
  }

  /// Whose rows were removed last.
  private final class Turn: Sendable {
    let activity = Mutex(ActivityID.placeholder)
  }

  /// - Returns: whether there may be more to do.
  private func remove(atMost count: Int, _ turn: Turn, _ transaction: Transaction) throws -> Bool {
    let last = turn.activity.withLock { $0 }
    guard let activity = try DeletedActivityStore.next(after: last, in: transaction.database) else { return false }
    turn.activity.withLock { $0 = activity }
    _ = try DeletedActivityStore.remove(activity, limit: count, transaction)
    return true
  }
}
