import ActivityContract
import Operations

/// The schedule and goal of an activity from a day on, until its next version.
struct ActivityVersion: Hashable, Sendable {
  /// The first day to which it applies; an activity's first version applies to all earlier days too.
  var fromDay: LocalDay
  var planned: PlannedDays
  /// The activity's first day, the same for all versions, as is the last.
  var startDay: LocalDay
  var endDay: LocalDay?
  var measure: GoalMeasure
  /// The unit of a quantity.
  var unit: String?

  /// Whether the day is planned, regardless of pauses and skipped days.
  func isPlanned(on day: LocalDay) -> Bool {
    guard day >= startDay else { return false }
    if let endDay, day > endDay { return false }
    return planned.contains(day)
  }

  /// The goal as clients see it.
  var goal: Goal { measure.goal(unit: unit) }

  /// The terms as clients see them.
  var terms: ActivityTerms {
    ActivityTerms(goal: goal, schedule: planned.schedule, startDay: startDay, endDay: endDay)
  }
}

/// The terms of an activity, as its account sets them.
struct ActivityTerms: Hashable, Sendable {
  var goal: Goal
  var schedule: Schedule
  var startDay: LocalDay
  var endDay: LocalDay?
}
