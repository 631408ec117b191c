import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the intake of samples and the days' totals.
  mutating func serveSteps(_ calendars: AccountCalendars) {
    serve(
      RecordStepSamples.self,
      prepare: { input, call in
        try await calendars.prepare(input, call)
        try await Accounts.catchUp(on: .activityData, call)
      }
    ) { input, _, call, transaction in
      let account = try call.account
      try Accounts.requireConsent(.activityData, of: account, in: transaction.database)
      let calendar = try calendars.calendar(of: account, in: transaction.database)
      let (placed, rejected) = SampleIntake.place(input.samples, in: calendar, now: transaction.now)
      var output = try StepSamples.record(
        placed, of: account, recordedDay: calendar.day(of: transaction.now), transaction)
      output.rejected = (rejected + output.rejected).sorted { $0.index < $1.index }
      return output
    }

    serve(ListStepDays.self) { input, call, database in
      Page(items: try StepTotals.list(of: try call.account, from: input.from, to: input.to, in: database))
    }
  }
}
