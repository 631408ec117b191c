import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Recurring tasks: created, listed, shown, edited, ended and left, and their participants; each planned day has one occurrence, a task of
/// its own (TASK-1, TASK-3). Deleting the creator's account ends its series; for the others it remains with its title and without a name,
/// like its occurrences.
struct TaskSeriesFeature: Feature {
  let rules: TaskRules
  let migrations = [TaskSeriesStore.migration(39), TaskSeriesStore.participantsMigration(46)]
  let tables: [ErasedTable] = [
    .rows("task_series_leavers", "account_id = :account", .tasks),
    .following("task_series_returners", "task_series_participants"),
    .rows("task_series_participants", "account_id = :account", .tasks),
    .changed(
      "task_series", "creator_account = :account", .tasks,
      by: "UPDATE task_series SET \(TaskSeriesStore.ending), creator_account = NULL WHERE creator_account = :account",
      steps: [
        """
        UPDATE task_series SET \(TaskSeriesStore.ending), creator_account = NULL WHERE sequence IN (
          SELECT sequence FROM task_series WHERE creator_account = :account LIMIT :limit)
        """
      ]),
  ]

  func register(in service: inout ServiceDefinition) {
    let store = TaskSeriesStore(rules: rules)
    let handlers = TaskSeriesHandlers(rules: rules, series: store)
    service.serve(CreateTaskSeries.self, prepare: TaskSeriesHandlers.people, write: handlers.create)
    service.serve(ListTaskSeries.self, read: TaskSeriesHandlers.list)
    service.serve(GetTaskSeries.self, read: TaskSeriesHandlers.get)
    service.serve(UpdateTaskSeries.self, write: handlers.update)
    service.serve(EndTaskSeries.self, write: TaskSeriesHandlers.end)
    service.serve(OptOutOfTaskSeries.self, write: TaskSeriesHandlers.optOut)
    service.serve(
      AddTaskSeriesParticipants.self, prepare: TaskSeriesHandlers.people, write: TaskSeriesHandlers.addParticipants)
    service.serve(RemoveTaskSeriesParticipant.self, write: TaskSeriesHandlers.removeParticipant)
    service.run { TaskSeriesWorker(store: $0, series: store) }
  }

  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try TaskSeriesStore.recheck(of: move.account, transaction)
  }
}
