import ActivityContract
import Operations
import ServiceKit

/// The rules for when a step goal is near (MOVE-5, NOT-3).
struct StepGoalRules: Hashable, Sendable {
  /// The threshold, in per cent of the goal.
  var nearPercent = 90

  /// The stage of a goal with so many steps.
  func stage(steps: Int, goal: Int) -> GoalStage {
    steps >= goal ? .reached : steps * 100 >= goal * nearPercent ? .near : .begun
  }
}

extension StepGoalRules {
  /// As configured under `racha.goals`.
  init(_ settings: Settings) {
    nearPercent = settings.int("racha.goals.nearPercent", default: nearPercent, in: 50...99)
  }
}

/// How far a goal is reached; stages only advance.
enum GoalStage: Int, Comparable {
  case begun, near, reached

  static func < (left: GoalStage, right: GoalStage) -> Bool { left.rawValue < right.rawValue }
}

extension GoalPeriod {
  /// The days of the period that contains the given day.
  func days(around day: LocalDay) -> ClosedRange<LocalDay> {
    switch self {
    case .day: return day...day
    case .week:
      let monday = day.advanced(by: 1 - day.weekday)
      return monday...monday.advanced(by: 6)
    }
  }
}
