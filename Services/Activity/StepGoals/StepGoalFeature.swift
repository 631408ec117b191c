import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Step goals: of each day and each week.
struct StepGoalFeature: Feature {
  let calendars: AccountCalendars
  let rules: StepGoalRules
  let migrations = [StepGoalStore.migration(17)]
  let tables: [ErasedTable] = [
    .following("step_goal_stages", "step_goals"),
    .rows("step_goals", "account_id = :account", .steps),
  ]
  let snapshot = [SnapshotPart("stepGoals", StepGoalChanged.self, page: StepGoalStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    let handlers = StepGoalHandlers(calendars: calendars, rules: rules)
    service.serve(ListStepGoals.self, read: handlers.list)
    service.serve(SetStepGoal.self, write: handlers.set)
    service.serve(ClearStepGoal.self, write: handlers.clear)
  }
}
