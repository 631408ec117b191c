import ActivityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the skipping of days.
  mutating func serveSkips(_ calendars: AccountCalendars) {
    serve(CreateSkip.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.calendar(of: account, in: transaction.database).day(of: transaction.now)
      let day = input.day.resolved(today: today)
      let goal = try Activities.goal(input.activityID, of: account, on: day, today: today, in: transaction.database)
      let last = today.advanced(by: SkipInput.mostDaysAhead)
      guard day <= last else {
        throw Failure.field(
          "day", FieldRule("out_of_range", ["least": .text(goal.startDay.description), "most": .text(last.description)]))
      }
      guard goal.isPlanned else { throw EntryFailure.notPlanned.with(["day": .text(day.description)]) }
      guard !goal.isPaused else { throw EntryFailure.paused.with(["day": .text(day.description)]) }
      let skip = Skip(activityID: input.activityID, day: day)
      try Skips.put(skip, transaction)
      return skip
    }

    serve(DeleteSkip.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      try Activities.require(input.activityID, of: account, in: transaction.database)
      let today = try calendars.calendar(of: account, in: transaction.database).day(of: transaction.now)
      try Skips.delete(Skip(activityID: input.activityID, day: input.day.resolved(today: today)), transaction)
      return Empty()
    }
  }
}
