import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Tokens of tasks: shown and renewed.
struct TaskTokenHandlers: Sendable {
  let access: TaskAccess
  let keys: TaskTokenKeys

  func get(_ input: TaskTokenKey, _ call: AccountCall, _ database: Database) throws -> TaskTokenState {
    try access.require(input.taskID, call.account, in: database)
    // One that was cancelled before tokens ended with it.
    guard try !access.isCancelled(input.taskID, database) else { return TaskTokenState(token: nil, expiresAt: nil) }
    return try TaskTokenStore.state(of: input.taskID, keys, at: call.now, in: database)
  }

  func renew(_ input: TaskTokenKey, _ call: AccountCall, _ transaction: Transaction) throws -> TaskTokenState {
    try access.require(input.taskID, call.account, in: transaction.database)
    try access.expectNotCancelled(input.taskID, in: transaction.database)
    try TaskTokenStore.renew(input.taskID, by: call.account, transaction)
    return try TaskTokenStore.state(of: input.taskID, keys, at: transaction.now, in: transaction.database)
  }
}
