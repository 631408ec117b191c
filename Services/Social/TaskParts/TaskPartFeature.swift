import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Parts of tasks: created, assigned, marked as done, removed (TASK-1). The texts and work of a deleted account remain for the others,
/// without its name.
struct TaskPartFeature: Feature {
  let rules: TaskRules
  let migrations = [TaskPartStore.migration(40), RemovedTaskText.migration(50)]
  let tables: [ErasedTable] = [
    .changed(
      "task_parts", "author_account = :account OR assignee_account = :account OR done_by = :account", .tasks,
      by: "UPDATE task_parts SET author_account = NULL WHERE author_account = :account",
      "UPDATE task_parts SET assignee_account = NULL WHERE assignee_account = :account",
      "UPDATE task_parts SET done_by = NULL WHERE done_by = :account",
      steps: ["author_account", "assignee_account", "done_by"].map { column in
        """
        UPDATE task_parts SET \(column) = NULL WHERE part_id IN (
          SELECT part_id FROM task_parts WHERE \(column) = :account LIMIT :limit)
        """
      })
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = TaskPartHandlers(rules: rules)
    service.serve(CreateTaskPart.self, write: handlers.create)
    service.serve(UpdateTaskPart.self, write: handlers.update)
    service.serve(DeleteTaskPart.self, write: TaskPartHandlers.remove)
    service.serve(CompleteTaskPart.self, write: TaskPartHandlers.complete)
    service.serve(ReopenTaskPart.self, write: TaskPartHandlers.reopen)
  }
}
