import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// The tokens by which files are attached to tasks without logging in: shown to participants, renewed by them, valid for 30 days (TASK-8).
struct TaskTokenFeature: Feature {
  let access: TaskAccess
  let keys: TaskTokenKeys
  let migrations = [TaskTokenStore.migration(30)]
  let tables: [ErasedTable] = [.rows("task_tokens", "maker_account = :account", .attachments).atOnce]

  func register(in service: inout ServiceDefinition) {
    let handlers = TaskTokenHandlers(access: access, keys: keys)
    service.serve(GetTaskToken.self, read: handlers.get)
    service.serve(RenewTaskToken.self, write: handlers.renew)
  }
}
