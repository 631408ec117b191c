import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Samples of movement: recorded and deleted. A batch of many days is several transactions, see ``SampleParts``: the last one answers, and
/// after a failure a repetition does what is left, since samples are identified by their ids.
struct MovementSampleHandlers: Sendable {
  let calendars: AccountCalendars
  let rules: FairnessRules
  private let words = Words(Contract.activity.words)

  init(calendars: AccountCalendars, rules: FairnessRules) {
    self.calendars = calendars
    self.rules = rules
  }

  func prepareRecord(
    _ input: RecordMovementSamples.Input, _ call: AccountCall
  ) async throws -> CommittedParts<MovementSampleStore.Outcome> {
    try await Accounts.catchUp(on: .activityData, call)
    let (samples, account) = (input.samples, call.account)
    return try await commitParts(of: samples.map(\.id), call) { now, database in
      try days(of: samples, account, now: now, in: database)
    } commit: { part, transaction in
      try record(samples, at: part, of: account, transaction)
    }
  }

  /// The days that each sample changes where it is recorded.
  private func days(
    of samples: [MovementSample], _ account: AccountID, now: Instant, in database: Database
  ) throws -> [[SampleParts.Day]] {
    let number = try MovementAccountStore.find(account, in: database)?.number
    let calendar = try calendars.calendarOrUTC(of: account, in: database)
    var days: [[SampleParts.Day]] = Array(repeating: [], count: samples.count)
    for item in SampleIntake.prepare(samples, at: samples.indices, in: calendar, now: now, by: rules).prepared {
      item.spread.forEachPiece { days[item.index].append(.init(kind: item.sample.kind, day: $0.day)) }
      // A new version may be of another day.
      guard let number, item.sample.version ?? 0 > 0 else { continue }
      days[item.index] += try MovementSampleStore.days(of: item.sample.id, number, in: database)
    }
    return days
  }

  func record(
    _ input: RecordMovementSamples.Input, _ before: CommittedParts<MovementSampleStore.Outcome>, _ call: AccountCall,
    _ transaction: Transaction
  ) throws -> RecordMovementSamples.Output {
    let last = try record(input.samples, at: before.rest, of: call.account, transaction)
    let outcome = MovementSampleStore.Outcome(before.outcomes + [last])
    return RecordMovementSamples.Output(
      accepted: outcome.accepted, repeated: outcome.repeated, replaced: outcome.replaced, rejected: outcome.rejected,
      flagged: outcome.flagged.map(\.sample), reasons: rules.reasons(outcome.allFlags, call.language, words),
      days: outcome.days.map { $0.shown(rules, call.language, words) })
  }

  private func record(
    _ samples: [MovementSample], at part: ArraySlice<Int>, of account: AccountID, _ transaction: Transaction
  ) throws -> MovementSampleStore.Outcome {
    try Accounts.requireConsent(.activityData, of: account, in: transaction.database)
    let calendar = try calendars.calendar(of: account, in: transaction.database)
    let (prepared, rejected) = SampleIntake.prepare(samples, at: part, in: calendar, now: transaction.now, by: rules)
    var outcome = try MovementSampleStore.record(
      prepared, of: account, recordedDay: calendar.day(of: transaction.now), by: rules, transaction)
    outcome.rejected += rejected
    return outcome
  }

  func prepareDelete(
    _ input: DeleteMovementSamples.Input, _ call: AccountCall
  ) async throws -> CommittedParts<MovementSampleStore.Deletion> {
    let (ids, account) = (input.distinctIDs, call.account)
    return try await commitParts(of: ids, call) { _, database in
      let number = try MovementAccountStore.find(account, in: database)?.number
      return try ids.map { id in try number.map { try MovementSampleStore.days(of: id, $0, in: database) } ?? [] }
    } commit: { part, transaction in
      try delete(ids, at: part, of: account, transaction)
    }
  }

  func delete(
    _ input: DeleteMovementSamples.Input, _ before: CommittedParts<MovementSampleStore.Deletion>, _ call: AccountCall,
    _ transaction: Transaction
  ) throws -> DeleteMovementSamples.Output {
    let ids = input.distinctIDs
    let last = try delete(ids, at: before.rest, of: call.account, transaction)
    let deletion = MovementSampleStore.Deletion(before.outcomes + [last])
    let unknown = Set(deletion.unknown)
    return DeleteMovementSamples.Output(
      deleted: deletion.deleted, unknown: ids.filter { unknown.contains($0) },
      days: deletion.days.map { $0.shown(rules, call.language, words) })
  }

  private func delete(
    _ ids: [String], at part: ArraySlice<Int>, of account: AccountID, _ transaction: Transaction
  ) throws -> MovementSampleStore.Deletion {
    let today = try calendars.today(of: account, transaction)
    return try MovementSampleStore.delete(
      part.map { ids[$0] }, of: account, recordedDay: today, by: rules, transaction)
  }

  /// Commits all parts of a batch but the last one, which is left to the transaction that answers.
  ///
  /// - Parameters:
  ///   - ids: the ids of the batch's samples.
  ///   - days: the days that each of them changes.
  ///   - commit: records or deletes the samples of a part, by their indices.
  private func commitParts<Outcome: Sendable>(
    of ids: [String], _ call: AccountCall, days: @escaping @Sendable (_ now: Instant, Database) throws -> [[SampleParts.Day]],
    commit: @escaping @Sendable (_ part: ArraySlice<Int>, Transaction) throws -> Outcome
  ) async throws -> CommittedParts<Outcome> {
    // Only for the cutting: each part is looked at anew at its own time.
    let (account, now) = (call.account, call.now)
    guard ids.count > 1 else { return CommittedParts(outcomes: [], rest: Array(ids.indices)[...]) }
    var parts = try await call.read { database in
      let changed = try days(now, database)
      var samples: [SampleParts.Day: Int64] = [:]
      if let number = try MovementAccountStore.find(account, in: database)?.number {
        for day in Set(changed.joined()) { samples[day] = try MovementSampleStore.samples(around: day, number, in: database) }
      }
      return SampleParts(of: ids, days: changed, samples: samples)
    }
    var outcomes: [Outcome] = []
    while let part = parts.next() {
      let (start, outcome) = try await call.store.write(
        traceparent: call.header.traceparent, largeOf: account.description
      ) { transaction in
        let start = ContinuousClock.now
        // The transaction that answers checks it by itself.
        guard try !transaction.database.isErased(account) else { throw Failure(RequestFailure.sessionRevoked) }
        return (start, try commit(part, transaction))
      }
      parts.took(ContinuousClock.now - start)
      outcomes.append(outcome)
    }
    return CommittedParts(outcomes: outcomes, rest: parts.rest)
  }
}

extension DeleteMovementSamples.Input {
  /// Each id once.
  fileprivate var distinctIDs: [String] {
    var seen: Set<String> = []
    return ids.filter { seen.insert($0).inserted }
  }
}

extension MovementSampleStore.Outcome {
  /// The outcome of a batch from those of its parts; samples come in the order of the batch.
  init(_ parts: [MovementSampleStore.Outcome]) {
    self.init()
    for part in parts {
      accepted += part.accepted
      repeated += part.repeated
      replaced += part.replaced
      rejected += part.rejected
      flagged += part.flagged
    }
    rejected.sort { $0.index < $1.index }
    flagged.sort { $0.sample.index < $1.sample.index }
    days = parts.flatMap(\.days).lastOfEachDay
  }

  /// The flags of all its samples.
  var allFlags: DayFlags {
    flagged.reduce(into: DayFlags()) { all, item in all[item.kind].formUnion(item.flags) }
  }
}

extension MovementSampleStore.Deletion {
  /// The outcome of a batch from those of its parts.
  init(_ parts: [MovementSampleStore.Deletion]) {
    self.init(
      deleted: parts.reduce(0) { $0 + $1.deleted }, unknown: parts.flatMap(\.unknown), days: parts.flatMap(\.days).lastOfEachDay)
  }
}

extension [MovementState] {
  /// The last state of each day, the earliest day first.
  fileprivate var lastOfEachDay: [MovementState] {
    Dictionary(map { ($0.day, $0) }, uniquingKeysWith: { $1 }).values.sorted { $0.day < $1.day }
  }
}
