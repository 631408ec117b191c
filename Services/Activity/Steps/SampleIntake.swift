import ActivityContract
import Operations

/// A sample whose times are acceptable, with its steps spread over local days.
struct PlacedSample: Sendable {
  /// Its place in the batch.
  let index: Int
  let sample: StepSample
  /// Its first local day and the steps of that day.
  let day: LocalDay
  let daySteps: Int
  /// The days after the first: empty for nearly all samples.
  let laterDays: [StepDay]
}

/// The rules for samples that need no store (MOVE-1).
enum SampleIntake {
  /// How far a device's clock may be ahead.
  static let mostAheadSeconds = 300
  /// The longest sample.
  static let mostMilliseconds: Int64 = 86_400_000

  /// Places the samples in the account's days and sets those aside whose times cannot be.
  static func place(
    _ samples: [StepSample], in calendar: LocalCalendar, now: Instant
  ) -> (placed: [PlacedSample], rejected: [RejectedSample]) {
    let latest = now.adding(seconds: mostAheadSeconds)
    var splitter = DaySplitter(calendar)
    var placed: [PlacedSample] = []
    placed.reserveCapacity(samples.count)
    var rejected: [RejectedSample] = []
    for (index, sample) in samples.enumerated() {
      if let reason = fault(of: sample, latest: latest) {
        rejected.append(RejectedSample(index: index, id: sample.id, code: reason))
        continue
      }
      var laterDays: [StepDay] = []
      let first = splitter.split(start: sample.start, end: sample.end, steps: sample.steps) { day, steps in
        laterDays.append(StepDay(day: day, steps: steps))
      }
      placed.append(PlacedSample(index: index, sample: sample, day: first.day, daySteps: first.steps, laterDays: laterDays))
    }
    return (placed, rejected)
  }

  private static func fault(of sample: StepSample, latest: Instant) -> RejectedSample.Reason? {
    if sample.end < sample.start { return .endsBeforeStart }
    if sample.end > latest { return .inFuture }
    if sample.start.milliseconds < 0 { return .tooOld }
    if sample.end.milliseconds - sample.start.milliseconds > mostMilliseconds { return .tooLong }
    return nil
  }
}
