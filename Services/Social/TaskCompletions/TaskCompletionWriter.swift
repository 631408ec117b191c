import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// What became of one participant's completion.
enum TaskCompletionChange: Sendable {
  case confirmed
  /// The confirmation was withdrawn, the participant opted out, or the task was cancelled. Deleting an account withdraws nothing.
  case withdrawn
}

/// Follows the completions of tasks, in the transaction that changes one.
///
/// - Parameters:
///   - account: whose completion it is.
///   - participants: how many take part then.
typealias TaskCompletionObserver =
  @Sendable (
    _ task: ID<SharedTask>, _ account: AccountID, _ change: TaskCompletionChange, _ participants: Int, Transaction
  ) throws -> Void

/// Writes completions: the only way to change them, so that every observer sees each change.
struct TaskCompletionWriter: Sendable {
  /// In the order in which they are called.
  let completionObservers: [TaskCompletionObserver]

  /// Notifies the observers that the confirmations of an open task no longer count, since it is cancelled. The participants still see who
  /// had confirmed.
  func cancel(_ task: TaskStore.Stored, _ transaction: Transaction) throws {
    for account in try TaskParticipantStore.confirmedAccounts(of: task.id, in: transaction.database) {
      for observe in completionObservers { try observe(task.id, account, .withdrawn, task.participantCount, transaction) }
    }
  }

  /// Notes that a participant has confirmed, or taken it back, and lets the observers know; the task is still to be settled then.
  func write(
    _ change: TaskCompletionChange, of account: AccountID, in task: TaskStore.Stored, _ transaction: Transaction
  ) throws {
    try TaskParticipantStore.setConfirmed(
      change == .confirmed ? transaction.now : nil, of: account, in: task.id, transaction.database)
    for observe in completionObservers { try observe(task.id, account, change, task.participantCount, transaction) }
  }
}
