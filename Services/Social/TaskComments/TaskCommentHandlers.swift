import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Comments on tasks: written, listed and removed.
struct TaskCommentHandlers: Sendable {
  let rules: TaskRules

  func create(_ input: CreateTaskComment.Input, _ call: AccountCall, _ transaction: Transaction) throws -> TaskComment {
    let (account, database) = (call.account, transaction.database)
    let task = try TaskStore.find(input.taskID, for: account, in: database).task
    guard task.state != .cancelled else { throw TaskFailure.cancelled }
    if let help = input.helpID, try !TaskHelpStore.exists(help, in: task.id, database) {
      throw Failure(RequestFailure.notFound)
    }
    try rules.checkSpace(stored: TaskSpaceStore.bytes(of: account, in: database), adding: input.text.bytes)
    return try TaskCommentStore.add(input.text, about: input.helpID, to: task, by: account, transaction)
  }

  static func list(_ input: ListTaskComments.Input, _ call: AccountCall, _ database: Database) throws -> Page<TaskComment> {
    let task = try TaskStore.find(input.taskID, for: call.account, in: database).task
    return try TaskCommentStore.list(of: task.id, for: call.account, call.page(input), in: database)
  }

  static func remove(_ input: RemoveTaskComment.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let database = transaction.database
    let task = try TaskStore.find(input.taskID, for: call.account, in: database).task
    guard let comment = try TaskCommentStore.find(input.commentID, of: task.id, for: call.account, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    guard comment.author.accountID == call.account else { throw Failure(RequestFailure.forbidden) }
    if comment.removedAt == nil { try TaskCommentStore.remove(comment, from: task, transaction) }
    return Empty()
  }
}
