import ActivityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the writing of entries.
  mutating func serveEntries(_ calendars: AccountCalendars) {
    serve(RecordEntry.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.calendar(of: account, in: transaction.database).day(of: transaction.now)
      let day = input.day.resolved(today: today)
      let goal = try Activities.goal(input.activityID, of: account, on: day, in: transaction.database)
      return try Entries.change(goal, of: account, today: today, transaction) {
        measure, progress in try measure.set(progress, to: input)
      }
    }

    serve(IncrementEntry.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.calendar(of: account, in: transaction.database).day(of: transaction.now)
      let day = input.day.resolved(today: today)
      let goal = try Activities.goal(input.activityID, of: account, on: day, in: transaction.database)
      return try Entries.change(goal, of: account, today: today, transaction) {
        measure, progress in try measure.add(input, to: progress)
      }
    }

    serve(DeleteEntry.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.calendar(of: account, in: transaction.database).day(of: transaction.now)
      // Another account's is not found.
      let goal = try Activities.goal(
        input.activityID, of: account, on: input.day.resolved(today: today), in: transaction.database)
      try Entries.delete(goal.activity, of: account, on: goal.day, transaction)
      return Empty()
    }
  }
}
