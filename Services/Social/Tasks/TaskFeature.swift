import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Tasks: created, listed, shown, edited and cancelled (TASK-1, TASK-2, TASK-4). The tasks of a deleted account remain for the others,
/// without its name; the participant who has taken part for longest is then responsible.
struct TaskFeature: Feature {
  let rules: TaskRules
  let completions: TaskCompletionWriter
  let links: TaskLinkKeys
  let migrations = [TaskStore.migration(27), TaskNoticeStore.migration(47)]
  let tables: [ErasedTable] = [
    .rows("task_notice_counts", "account_id = :account", .tasks),
    .rows("task_series_notice_counts", "account_id = :account", .tasks),
    .changed(
      "tasks", "creator_account = :account", .tasks,
      by: "UPDATE tasks SET creator_account = NULL WHERE creator_account = :account",
      steps: [
        """
        UPDATE tasks SET creator_account = NULL WHERE sequence IN (
          SELECT sequence FROM tasks WHERE creator_account = :account LIMIT :limit)
        """
      ]),
    .rows("task_space", "account_id = :account", .tasks),
  ]
  let snapshot = [SnapshotPart("tasks", TaskChanged.self, page: TaskStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    let handlers = TaskHandlers(rules: rules, completions: completions, links: links)
    service.serve(CreateTask.self, prepare: TaskHandlers.people, write: handlers.create)
    service.serve(ListTasks.self, read: handlers.list)
    service.serve(GetTask.self, read: handlers.get)
    service.serve(UpdateTask.self, write: handlers.update)
    service.serve(CancelTask.self, write: handlers.cancel)
  }
}
