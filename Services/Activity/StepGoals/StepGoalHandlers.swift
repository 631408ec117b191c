import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// Step goals: listed, set and cleared.
struct StepGoalHandlers: Sendable {
  let calendars: AccountCalendars
  let rules: StepGoalRules

  func list(_ input: ListStepGoals.Input, _ call: AccountCall, _ database: Database) throws -> ListStepGoals.Output {
    let today = try calendars.calendar(of: call.account, in: database).day(of: call.now)
    return ListStepGoals.Output(goals: try StepGoalStore.list(of: call.account, today: today, in: database))
  }

  func set(_ input: SetStepGoal.Input, _ call: AccountCall, _ transaction: Transaction) throws -> StepGoal {
    let account = call.account
    let today = try calendars.today(of: account, transaction)
    try StepGoalStore.set(input.goal, input.period, of: account, today: today, by: rules, transaction)
    let goals = try StepGoalStore.list(of: account, today: today, in: transaction.database)
    return goals.first { $0.period == input.period } ?? StepGoal(period: input.period, goal: input.goal, steps: 0)
  }

  func clear(_ input: ClearStepGoal.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let today = try calendars.today(of: call.account, transaction)
    try StepGoalStore.set(nil, input.period, of: call.account, today: today, by: rules, transaction)
    return Empty()
  }
}
