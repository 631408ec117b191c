import Operations
import ServiceKit
import ServiceLifecycle
import Storage
import Synchronization

/// Lets notifications up to a mark say themselves that they were read, in steps. What is to do is in the store, so that a process which was
/// killed goes on where it was; the accounts take turns.
struct ReadMarkWorker: ServiceLifecycle.Service {
  /// Notifications of one step.
  static let limits = StepLimits(first: 50, max: 2_000)

  let store: Store
  let signal: WakeSignal

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      let turn = Turn()
      repeat {
        try await store.writeInSteps(of: "read marks", Self.limits) { try settle(atMost: $0, turn, $1) }
      } while await signal.wait()
    }
  }

  /// Whose turn was the last.
  private final class Turn: Sendable {
    let account = Mutex(AccountID.placeholder)
  }

  /// - Returns: whether there may be more to do.
  private func settle(atMost count: Int, _ turn: Turn, _ transaction: Transaction) throws -> Bool {
    let last = turn.account.withLock { $0 }
    guard let account = try ReadMarkStore.next(after: last, in: transaction.database) else { return false }
    turn.account.withLock { $0 = account }
    try ReadMarkStore.settle(account, limit: count, transaction)
    return true
  }
}
