import ActivityContract
import ImportFormats
import Operations
import ServiceKit
import Storage

/// Gives the samples of a file to the same intake as those that devices send.
enum SampleImport {
  /// The samples of a batch, in the account's time.
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
    let (prepared, refused) = SampleIntake.prepare(samples, in: calendar, now: transaction.now, by: rules)
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

  /// As many steps or metres as a sample may have.
  private static let maxAmount = 1_000_000.0

  /// When it was, where the account is: local times are of the account's zone, days are its days.
  static func instants(of span: ImportedSpan, in calendar: LocalCalendar) -> (start: Instant, end: Instant) {
    switch span {
    case .instants(let start, let end): return (start, end)
    case .local(let start, let end):
      let from = calendar.instant(ofLocal: start)
      return (from, from.adding(milliseconds: end - start))
    case .day(let day):
      // From the hour at which the account's day starts to midnight, where the file's ends: so all of it counts on that day, and
      // whatever reports parts of the same day lies over it to the last minute.
      let from = calendar.start(of: day)
      let midnight = calendar.instant(ofLocal: Int64(day.daysSinceEpoch + 1) * LocalCalendar.dayLength)
      // The day that has 25 hours is reported within 24 of them: a sample is no longer.
      return (from, max(from, min(midnight, from.adding(milliseconds: LocalCalendar.dayLength))))
    }
  }

  /// Nil where the sample is there already, was deleted, or is a total that has grown since: its id is made of its content, so what else is
  /// reported of it is where the account was then.
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
  /// What it is among the measures that are kept.
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
  /// The instant of a local time, in milliseconds after 1970-01-01's start: the first of two, and of none the one as if the clock had not
  /// been put forward.
  func instant(ofLocal local: Int64) -> Instant {
    // No zone is further from UTC than a day: one of these offsets holds there.
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
