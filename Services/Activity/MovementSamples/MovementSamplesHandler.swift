import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the intake of samples and the days' totals.
  mutating func serveMovement(_ calendars: AccountCalendars, _ rules: FairnessRules) {
    let words = Words(Contract.activity.words)
    serve(
      RecordMovementSamples.self,
      prepare: { input, call in
        try await calendars.prepare(input, call)
        try await Accounts.catchUp(on: .activityData, call)
      }
    ) { input, _, call, transaction in
      let account = try call.account
      try Accounts.requireConsent(.activityData, of: account, in: transaction.database)
      let calendar = try calendars.calendar(of: account, in: transaction.database)
      let (prepared, rejected) = SampleIntake.prepare(input.samples, in: calendar, now: transaction.now, by: rules)
      let outcome = try MovementSamples.record(
        prepared, of: account, recordedDay: calendar.day(of: transaction.now), by: rules, transaction)
      return RecordMovementSamples.Output(
        accepted: outcome.accepted, repeated: outcome.repeated, replaced: outcome.replaced,
        rejected: (rejected + outcome.rejected).sorted { $0.index < $1.index }, flagged: outcome.flagged.map(\.sample),
        reasons: rules.reasons(outcome.allFlags, call.language, words),
        days: outcome.days.map { $0.shown(rules, call.language, words) })
    }

    serve(DeleteMovementSamples.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.today(of: account, transaction)
      let (deleted, unknown, days) = try MovementSamples.delete(
        input.ids, of: account, recordedDay: today, by: rules, transaction)
      return DeleteMovementSamples.Output(
        deleted: deleted, unknown: unknown, days: days.map { $0.shown(rules, call.language, words) })
    }

    serve(ListMovementDays.self) { input, call, database in
      let days = try MovementDays.list(of: try call.account, from: input.from, to: input.to, in: database)
      return Page(items: days.map { $0.shown(rules, call.language, words) })
    }
  }
}

extension MovementSamples.Outcome {
  /// All marks of its samples.
  var allFlags: DayFlags {
    flagged.reduce(into: DayFlags()) { all, item in all[item.kind].formUnion(item.flags) }
  }
}
