import ActivityContract
import Operations

/// A sample whose times are acceptable, spread over local days and judged.
struct PlacedSample: Sendable {
  /// Its place in the batch.
  let index: Int
  let sample: MovementSample
  let spread: Spread
  let marks: Marks
}

/// The rules for samples that need no store (MOVE-1, MOVE-6).
enum SampleIntake {
  /// How far ahead a sample may end.
  static let mostAheadSeconds = 366 * 86_400
  /// The longest sample.
  static let mostMilliseconds: Int64 = 86_400_000

  /// Places the samples in the account's days and sets those aside whose times cannot be.
  static func place(
    _ samples: [MovementSample], in calendar: LocalCalendar, now: Instant, by rules: FairnessRules
  ) -> (placed: [PlacedSample], rejected: [RejectedSample]) {
    let latest = now.adding(seconds: mostAheadSeconds)
    let today = calendar.day(of: now)
    var splitter = DaySplitter(calendar)
    var placed: [PlacedSample] = []
    placed.reserveCapacity(samples.count)
    var rejected: [RejectedSample] = []
    for (index, sample) in samples.enumerated() {
      if let reason = fault(of: sample, latest: latest) {
        rejected.append(RejectedSample(index: index, id: sample.id, code: reason))
        continue
      }
      let amount = Int((sample.amount * Double(sample.kind.scale)).rounded())
      let spread = splitter.spread(amount, start: sample.start, end: sample.end)
      let marks = rules.marks(of: spread, sample, now: now, recordedDay: today)
      placed.append(PlacedSample(index: index, sample: sample, spread: spread, marks: marks))
    }
    return (placed, rejected)
  }

  private static func fault(of sample: MovementSample, latest: Instant) -> RejectedSample.Reason? {
    if sample.end < sample.start { return .endsBeforeStart }
    if sample.end > latest { return .tooFarAhead }
    if sample.start.milliseconds < 0 { return .tooOld }
    if sample.end.milliseconds - sample.start.milliseconds > mostMilliseconds { return .tooLong }
    return nil
  }
}
