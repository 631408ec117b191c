import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Help in tasks: asked for, offered, closed and thanked for (TASK-7).
struct TaskHelpFeature: Feature {
  let migrations = [TaskHelpStore.migration(29)]
  let tables: [ErasedTable] = [
    .rows("task_thanks", "account_id = :account", .tasks),
    .rows("task_help", "account_id = :account", .tasks),
    .rows("task_help_given", "account_id = :account", .tasks),
  ]
  let snapshot = [SnapshotPart("taskHelpGiven", TaskHelpGiven.self, page: TaskHelpStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    service.serve(RequestTaskHelp.self, write: TaskHelpHandlers.request)
    service.serve(OfferTaskHelp.self, write: TaskHelpHandlers.offer)
    service.serve(CloseTaskHelp.self, write: TaskHelpHandlers.close)
    service.serve(ThankForTaskHelp.self, write: TaskHelpHandlers.thank)
  }
}
