import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Samples of movement: recorded and deleted.
struct MovementSampleHandlers: Sendable {
  let calendars: AccountCalendars
  let rules: FairnessRules
  private let words = Words(Contract.activity.words)

  init(calendars: AccountCalendars, rules: FairnessRules) {
    self.calendars = calendars
    self.rules = rules
  }

  static func prepareRecord(_ input: RecordMovementSamples.Input, _ call: AccountCall) async throws {
    try await Accounts.catchUp(on: .activityData, call)
  }

  func record(
    _ input: RecordMovementSamples.Input, _ prepared: Void, _ call: AccountCall, _ transaction: Transaction
  ) throws -> RecordMovementSamples.Output {
    let account = call.account
    try Accounts.requireConsent(.activityData, of: account, in: transaction.database)
    let calendar = try calendars.calendar(of: account, in: transaction.database)
    let (samples, rejected) = SampleIntake.prepare(input.samples, in: calendar, now: transaction.now, by: rules)
    let outcome = try MovementSampleStore.record(
      samples, of: account, recordedDay: calendar.day(of: transaction.now), by: rules, transaction)
    return RecordMovementSamples.Output(
      accepted: outcome.accepted, repeated: outcome.repeated, replaced: outcome.replaced,
      rejected: (rejected + outcome.rejected).sorted { $0.index < $1.index }, flagged: outcome.flagged.map(\.sample),
      reasons: rules.reasons(outcome.allFlags, call.language, words),
      days: outcome.days.map { $0.shown(rules, call.language, words) })
  }

  func delete(
    _ input: DeleteMovementSamples.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> DeleteMovementSamples.Output {
    let today = try calendars.today(of: call.account, transaction)
    let (deleted, unknown, days) = try MovementSampleStore.delete(
      input.ids, of: call.account, recordedDay: today, by: rules, transaction)
    return DeleteMovementSamples.Output(
      deleted: deleted, unknown: unknown, days: days.map { $0.shown(rules, call.language, words) })
  }
}

extension MovementSampleStore.Outcome {
  /// The flags of all its samples.
  var allFlags: DayFlags {
    flagged.reduce(into: DayFlags()) { all, item in all[item.kind].formUnion(item.flags) }
  }
}
