import ActivityContract
import Operations

extension DayState {
  /// How a planned day stands (ACT-3).
  ///
  /// - Parameter isWeekMissed: of so many times a week, whether the day's week is over and was not kept.
  init(_ day: JudgedDay, isWeekMissed: @autoclosure () throws -> Bool) rethrows {
    if day.isPaused {
      self = .paused
    } else if let outcome = day.outcome {
      switch outcome {
      case .kept: self = .done
      // Of a limit, what was done short of it is no progress towards anything.
      case _ where !day.version.measure.isLimit && (day.progress ?? 0) > 0: self = .partly
      case .open: self = .pending
      case .missed where day.timesAWeek == nil || day.version.measure.isLimit: self = .failed
      case .missed: self = try isWeekMissed() ? .failed : .free
      }
    } else {
      self = .skipped
    }
  }
}
