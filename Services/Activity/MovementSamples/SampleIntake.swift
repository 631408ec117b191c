import ActivityContract
import Operations
import ServiceKit

/// A sample whose times are acceptable, spread over local days and evaluated.
struct PreparedSample: Sendable {
  /// Its index in the batch.
  let index: Int
  let sample: MovementSample
  let spread: Spread
  let flags: SampleFlags
}

/// The rules for samples that need no store (MOVE-1, MOVE-6).
enum SampleIntake {
  /// How far ahead a sample may end.
  static let maxAheadSeconds = 366 * 86_400
  /// The longest sample.
  static let maxMilliseconds: Int64 = 86_400_000

  /// Assigns the samples to the account's days and sets those aside whose times cannot be.
  static func prepare(
    _ samples: [MovementSample], in calendar: LocalCalendar, now: Instant, by rules: FairnessRules
  ) -> (prepared: [PreparedSample], rejected: [RejectedSample]) {
    let latest = now.adding(seconds: maxAheadSeconds)
    let today = calendar.day(of: now)
    var splitter = DaySplitter(calendar)
    var prepared: [PreparedSample] = []
    prepared.reserveCapacity(samples.count)
    var rejected: [RejectedSample] = []
    for (index, sample) in samples.enumerated() {
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
