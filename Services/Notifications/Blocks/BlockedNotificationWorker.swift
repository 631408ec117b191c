import Operations
import ServiceKit
import ServiceLifecycle
import Storage
import Synchronization

/// Deletes from large inboxes what names a blocked account, in steps. What is to do is in the store, so that a process which was killed goes on
/// where it was; the accounts take turns.
struct BlockedNotificationWorker: ServiceLifecycle.Service {
  /// Numbers of an inbox that one step goes through.
  static let limits = StepLimits(first: 50, max: 2_000)

  let store: Store
  let signal: WakeSignal

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      let turn = Turn()
      repeat {
        try await store.writeInSteps(of: "blocked notifications", Self.limits) { try delete(atMost: $0, turn, $1) }
      } while await signal.wait()
    }
  }

  /// Whose turn was the last.
  private final class Turn: Sendable {
    let account = Mutex(AccountID.placeholder)
  }

  /// - Returns: whether there may be more to do.
  private func delete(atMost count: Int, _ turn: Turn, _ transaction: Transaction) throws -> Bool {
    let last = turn.account.withLock { $0 }
    guard let account = try BlockedNotificationStore.next(after: last, in: transaction.database) else { return false }
    turn.account.withLock { $0 = account }
    try BlockedNotificationStore.delete(from: account, limit: count, transaction)
    return true
  }
}
