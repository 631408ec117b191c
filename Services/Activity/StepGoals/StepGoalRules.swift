import ActivityContract
import Operations

/// How far a goal is; stages follow each other.
enum GoalStage: Int, Comparable {
  case begun
  /// Nine tenths are done.
  case near
  case reached

  init(steps: Int, goal: Int) {
    self = steps >= goal ? .reached : steps * 10 >= goal * 9 ? .near : .begun
  }

  static func < (left: GoalStage, right: GoalStage) -> Bool { left.rawValue < right.rawValue }
}

extension GoalPeriod {
  /// The days of the period that holds that day.
  func days(around day: LocalDay) -> ClosedRange<LocalDay> {
    switch self {
    case .day: return day...day
    case .week:
      let monday = day.advanced(by: 1 - day.weekday)
      return monday...monday.advanced(by: 6)
    }
  }
}
