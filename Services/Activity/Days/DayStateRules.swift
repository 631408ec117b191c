import ActivityContract
import Operations

extension DayState {
  /// How a planned day stands (ACT-3).
  ///
  /// - Parameter week: of so many times a week, what the day's week has come to; nil where it is too short for so many.
  init(_ day: EvaluatedDay, week: @autoclosure () throws -> EvaluatedDay.Outcome?) rethrows {
    guard !day.isPaused else {
      self = .paused
      return
    }
    let isLimit = day.version.measure.isLimit
    // A limit is evaluated by its day, in whatever week: nothing need be done for it.
    let isOfWeek = day.timesAWeek != nil && !isLimit
    switch day.outcome {
    case nil: self = .skipped
    case .kept: self = .done
    // Of a limit, what was done short of it is no progress towards anything.
    case .open where !isLimit && day.hasProgress, .missed where !isLimit && day.hasProgress: self = .partly
    case .open where isOfWeek: self = try week() == .kept ? .free : .pending
    case .missed where isOfWeek: self = try week() == .missed ? .failed : .free
    case .open: self = .pending
    case .missed: self = .failed
    }
  }
}

extension EvaluatedDay {
  fileprivate var hasProgress: Bool { (progress ?? 0) > 0 }
}
