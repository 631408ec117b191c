import ActivityContract
import Operations

extension DayState {
  /// Evaluates how a planned day stands (ACT-3).
  ///
  /// - Parameter week: for so many times a week, the outcome of the day's week; nil where the week is too short for so many.
  init(_ day: EvaluatedDay, week: @autoclosure () throws -> EvaluatedDay.Outcome?) rethrows {
    guard !day.isPaused else {
      self = .paused
      return
    }
    let isLimit = day.version.measure.isLimit
    // A limit is evaluated by its day, whatever its week: keeping it needs no action.
    let isOfWeek = day.timesAWeek != nil && !isLimit
    switch day.outcome {
    case nil: self = .skipped
    case .kept: self = .done
    // For a limit, an amount below it is no progress.
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
