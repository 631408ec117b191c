import ActivityContract
import Operations
import ServiceKit

/// A sample with valid times, split by local day and evaluated.
struct PreparedSample: Sendable {
  /// Its index in the batch.
  let index: Int
  let sample: MovementSample
  let spread: Spread
  let flags: SampleFlags
}

/// The rules for samples that do not depend on the store (MOVE-1, MOVE-6).
enum SampleIntake {
  /// How far in the future a sample may end.
  static let maxAheadSeconds = 366 * 86_400
  /// The maximum duration of a sample.
  static let maxMilliseconds: Int64 = 86_400_000

  /// Splits some samples of a batch by the account's days and sets those with invalid times aside.
  ///
  /// - Parameter indices: which samples, in that order.
  static func prepare(
    _ samples: [MovementSample], at indices: some Collection<Int>, in calendar: LocalCalendar, now: Instant,
    by rules: FairnessRules
  ) -> (prepared: [PreparedSample], rejected: [RejectedSample]) {
    let latest = now.adding(seconds: maxAheadSeconds)
    let today = calendar.day(of: now)
    var splitter = DaySplitter(calendar)
    var prepared: [PreparedSample] = []
    prepared.reserveCapacity(indices.count)
    var rejected: [RejectedSample] = []
    for index in indices {
      let sample = samples[index]
      if let reason = fault(of: sample, latest: latest) {
        rejected.append(RejectedSample(index: index, id: sample.id, code: reason))
        continue
      }
      let amount = Int((sample.amount * Double(sample.kind.scale)).rounded())
      let spread = splitter.spread(amount, start: sample.start, end: sample.end)
      let flags = rules.flags(of: spread, sample, now: now, recordedDay: today)
      prepared.append(PreparedSample(index: index, sample: sample, spread: spread, flags: flags))
    }
    return (prepared, rejected)
  }

  private static func fault(of sample: MovementSample, latest: Instant) -> RejectedSample.Reason? {
    if sample.end < sample.start { return .endsBeforeStart }
    if sample.end > latest { return .tooFarAhead }
    if sample.start.milliseconds < 0 { return .tooOld }
    if sample.end.milliseconds - sample.start.milliseconds > maxMilliseconds { return .tooLong }
    return nil
  }
}
