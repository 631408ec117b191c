import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Comments on tasks: written, listed and removed (TASK-2). What a deleted account wrote is gone for the others too.
struct TaskCommentFeature: Feature {
  let rules: TaskRules
  let migrations = [TaskCommentStore.migration(28)]
  let tables: [ErasedTable] = [.rows("task_comments", "account_id = :account", .taskComments)]

  func register(in service: inout ServiceDefinition) {
    service.serve(CreateTaskComment.self, write: TaskCommentHandlers(rules: rules).create)
    service.serve(ListTaskComments.self, read: TaskCommentHandlers.list)
    service.serve(RemoveTaskComment.self, write: TaskCommentHandlers.remove)
  }
}
