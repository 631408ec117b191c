import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Public links to completed tasks, created and revoked by participants, and their list on a public profile (TASK-6).
struct TaskLinkFeature: Feature {
  let keys: TaskLinkKeys
  let migrations = [TaskLinkStore.migration(38), TaskLinkStore.closingMigration(48)]
  let tables: [ErasedTable] = [ErasedTable.rows("task_links", "account_id = :account", .links).atOnce]

  func register(in service: inout ServiceDefinition) {
    let handlers = TaskLinkHandlers(keys: keys)
    service.serve(CreateTaskLink.self, write: handlers.create)
    service.serve(ListTaskLinks.self, read: handlers.list)
    service.serve(RevokeTaskLink.self, write: TaskLinkHandlers.revoke)
    service.serve(GetPublicTask.self, read: handlers.get)
    service.serve(GetTaskProfilePart.self, read: handlers.profilePart)
  }
}
