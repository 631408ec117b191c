import ActivityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the skipping of days.
  mutating func serveSkips(_ calendars: AccountCalendars) {
    serve(CreateSkip.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.today(of: account, transaction)
      let day = input.day.resolved(today: today)
      let goal = try Activities.goal(input.activityID, of: account, on: day, today: today, in: transaction.database)
      let last = today.advanced(by: SkipInput.maxDaysAhead)
      guard day <= last else {
        throw Failure.field(
          "day", FieldRule("out_of_range", ["min": .text(goal.startDay.description), "max": .text(last.description)]))
      }
      guard goal.isPlanned else { throw EntryFailure.notPlanned.with(["day": .text(day.description)]) }
      try goal.requireUnpaused()
      let skip = Skip(activityID: input.activityID, day: day)
      try Skips.put(skip, transaction)
      return skip
    }

    serve(DeleteSkip.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      try Activities.require(input.activityID, of: account, in: transaction.database)
      let today = try calendars.today(of: account, transaction)
      let day = input.day.resolved(today: today)
      guard try Skips.delete(Skip(activityID: input.activityID, day: day), transaction) else { return Empty() }
      try Ties.takeUp(day...day, input.activityID, of: account, today: today, transaction)
      return Empty()
    }
  }
}
