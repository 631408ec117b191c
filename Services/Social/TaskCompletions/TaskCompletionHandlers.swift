import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Completions of tasks: confirmed and taken back.
struct TaskCompletionHandlers: Sendable {
  let completions: TaskCompletionWriter

  func confirm(_ input: NamedTask, _ call: AccountCall, _ transaction: Transaction) throws -> SharedTask {
    let (task, participant) = try TaskStore.find(input.taskID, for: call.account, in: transaction.database)
    if try TaskCompletionRules.isChangedByConfirming(task.state, isConfirmed: participant.confirmedAt != nil) {
      try completions.write(.confirmed, of: call.account, in: task, transaction)
      try TaskStore.settle(task.id, by: call.account, transaction)
    }
    return try TaskStore.view(task.id, for: call.account, in: transaction.database)
  }

  func withdraw(_ input: NamedTask, _ call: AccountCall, _ transaction: Transaction) throws -> SharedTask {
    let (task, participant) = try TaskStore.find(input.taskID, for: call.account, in: transaction.database)
    if try TaskCompletionRules.isChangedByWithdrawing(task.state, isConfirmed: participant.confirmedAt != nil) {
      try completions.write(.withdrawn, of: call.account, in: task, transaction)
      try TaskStore.settle(task.id, by: call.account, transaction)
    }
    return try TaskStore.view(task.id, for: call.account, in: transaction.database)
  }
}
