import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// The participants of tasks: enrolled and removed by the creator, and leaving by themselves (TASK-1, TASK-3, TASK-5). A deleted account
/// leaves its tasks too, so that tasks which waited for it alone are completed.
struct TaskParticipantFeature: Feature {
  let completions: TaskCompletionWriter
  let links: TaskLinkKeys
  let migrations = [TaskParticipantStore.removalMigration(45)]
  let tables: [ErasedTable] = [
    .changed(
      "task_participants", "account_id = :account OR enrolled_by = :account", .tasks,
      by: "UPDATE task_participants SET enrolled_by = NULL WHERE enrolled_by = :account",
      "DELETE FROM task_participants WHERE account_id = :account",
      steps: [
        """
        UPDATE task_participants SET enrolled_by = NULL WHERE (task_id, account_id) IN (
          SELECT task_id, account_id FROM task_participants WHERE enrolled_by = :account LIMIT :limit)
        """,
        """
        DELETE FROM task_participants WHERE (task_id, account_id) IN (
          SELECT task_id, account_id FROM task_participants WHERE account_id = :account LIMIT :limit)
        """,
      ]
    ).preceded(by: TaskParticipantStore.leaveAll)
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = TaskParticipantHandlers(completions: completions, links: links)
    service.serve(AddTaskParticipants.self, prepare: TaskParticipantHandlers.people, write: handlers.add)
    service.serve(RemoveTaskParticipant.self, write: handlers.remove)
    service.serve(OptOutOfTask.self, write: handlers.optOut)
  }
}
