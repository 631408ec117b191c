import ActivityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the step goals.
  mutating func serveStepGoals(_ calendars: AccountCalendars) {
    serve(GetStepGoals.self, prepare: calendars.prepare) { _, _, call, database in
      let account = try call.account
      let today = try calendars.calendar(of: account, in: database).day(of: call.now)
      return GetStepGoals.Output(goals: try StepGoals.list(of: account, today: today, in: database))
    }

    serve(SetStepGoal.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.today(of: account, transaction)
      try StepGoals.set(input.goal, input.period, of: account, today: today, transaction)
      let goals = try StepGoals.list(of: account, today: today, in: transaction.database)
      return goals.first { $0.period == input.period } ?? StepGoal(period: input.period, goal: input.goal, steps: 0)
    }

    serve(ClearStepGoal.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.today(of: account, transaction)
      try StepGoals.set(nil, input.period, of: account, today: today, transaction)
      return Empty()
    }
  }
}
