import ActivityContract
import ImportFormats
import Operations
import ServiceKit
import Storage

/// Passes the samples of a file to the same intake as those that devices send.
enum SampleImport {
  /// Takes the samples of a batch; local times are in the account's time zone.
  static func take(
    _ records: [(record: ImportedRecord, sample: ImportedSample)], of account: AccountID, in calendar: LocalCalendar,
    by rules: FairnessRules, _ outcome: inout ImportOutcome, _ transaction: Transaction
  ) throws {
    var kept: [ImportedRecord] = []
    var samples: [MovementSample] = []
    kept.reserveCapacity(records.count)
    samples.reserveCapacity(records.count)
    for (record, sample) in records {
      let amount = Double(sample.amount) / Double(sample.kind.movement.scale)
      guard amount <= maxAmount else {
        outcome.problems.append(.init(record, .outOfRange))
        continue
      }
      let (start, end) = instants(of: sample.span, in: calendar)
      kept.append(record)
      samples.append(
        MovementSample(
          id: sample.id, kind: sample.kind.movement, start: start, end: end, amount: amount, source: sample.source.name,
          device: sample.source.device, isHandTyped: sample.isManual ? true : nil, version: sample.version))
    }
    let (prepared, refused) = SampleIntake.prepare(
      samples, at: samples.indices, in: calendar, now: transaction.now, by: rules)
    let taken = try MovementSampleStore.record(
      prepared, of: account, recordedDay: calendar.day(of: transaction.now), by: rules, transaction)
    outcome.taken += taken.accepted + taken.replaced
    outcome.repeated += taken.repeated
    outcome.days.formUnion(taken.days.map(\.day))
    for rejected in refused + taken.rejected {
      if let reason = reason(rejected.code) {
        outcome.problems.append(.init(kept[rejected.index], reason))
      } else {
        outcome.repeated += 1
      }
    }
  }

  /// The maximum amount of a sample.
  private static let maxAmount = 1_000_000.0

  /// The start and end of a span, where local times and days are those of the account.
  static func instants(of span: ImportedSpan, in calendar: LocalCalendar) -> (start: Instant, end: Instant) {
    switch span {
    case .instants(let start, let end): return (start, end)
    case .local(let start, let end):
      let from = calendar.instant(ofLocal: start)
      return (from, from.adding(milliseconds: end - start))
    case .day(let day):
      // From the hour at which the account's day starts to midnight, where the file's day ends: so all of it counts on that day, and
      // overlaps every other report of parts of that day to the last minute.
      let from = calendar.start(of: day)
      let midnight = calendar.instant(ofLocal: Int64(day.daysSinceEpoch + 1) * LocalCalendar.dayLength)
      // A day with 25 hours is reported within 24 of them: no sample may be longer.
      return (from, max(from, min(midnight, from.adding(milliseconds: LocalCalendar.dayLength))))
    }
  }

  /// Nil where the sample already exists, was deleted, or is a total that has grown since. Its id is derived from its content, so any other
  /// report of it stems from another time zone of the account.
  private static func reason(_ code: RejectedSample.Reason) -> ImportProblemReason? {
    switch code {
    case .conflict, .outdated: nil
    case .endsBeforeStart: .endsBeforeStart
    case .tooLong: .tooLong
    case .tooOld: .tooOld
    case .tooFarAhead: .tooFarAhead
    case .tooManySources: .tooManySources
    case .tooMany: .tooManySamples
    }
  }
}

extension ImportedSample.Kind {
  /// The kind of movement of the measure.
  fileprivate var movement: MovementKind {
    switch self {
    case .steps: .steps
    case .walkingDistance: .walking
    case .runningDistance: .running
    case .cyclingDistance: .cycling
    }
  }
}

extension LocalCalendar {
  /// The instant of a local time, in milliseconds since 1970: the first of two; for a time that the clocks skip, the instant as if they had
  /// not been put forward.
  func instant(ofLocal local: Int64) -> Instant {
    // No zone is more than a day from UTC: one of these offsets applies.
    let before = offsets.span(at: local - LocalCalendar.dayLength).offset
    let after = offsets.span(at: local + LocalCalendar.dayLength).offset
    for offset in [before, after] where offsets.span(at: local - offset).offset == offset {
      return Instant(milliseconds: local - offset)
    }
    return Instant(milliseconds: local - before)
  }

  /// When a local day begins.
  func start(of day: LocalDay) -> Instant {
    instant(ofLocal: Int64(day.daysSinceEpoch) * LocalCalendar.dayLength + dayStart)
  }
}
