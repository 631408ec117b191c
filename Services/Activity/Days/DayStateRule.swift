import ActivityContract
import Operations

extension DayState {
  /// How a planned day stands (ACT-3).
  ///
  /// - Parameter progress: nil or 0 where nothing was done.
  init(_ measure: GoalMeasure, progress: Int, day: LocalDay, today: LocalDay) {
    if measure.isDone(progress) {
      self = .done
    } else if progress > 0 {
      self = .partly
    } else {
      self = day < today ? .failed : .pending
    }
  }
}
