import ActivityContract
import Operations

/// What an activity asks for from a day on, until its next version: on which days, and what of each.
struct ActivityVersion: Hashable, Sendable {
  /// The first day for which it holds; an activity's first version holds for all before it too.
  var fromDay: LocalDay
  var planned: PlannedDays
  /// The activity's first day, the same for all versions, as is the last.
  var startDay: LocalDay
  var endDay: LocalDay?
  var measure: GoalMeasure
  /// What a quantity is counted in.
  var unit: String?

  /// Whether anything is planned on that day, pauses and skipped days aside.
  func isPlanned(on day: LocalDay) -> Bool {
    guard day >= startDay else { return false }
    if let endDay, day > endDay { return false }
    return planned.contains(day)
  }

  /// What it asks of a day, as clients see it.
  var goal: Goal { measure.goal(unit: unit) }

  /// What clients see of it.
  var terms: ActivityTerms {
    ActivityTerms(goal: goal, schedule: planned.schedule, startDay: startDay, endDay: endDay)
  }
}

/// What an activity asks for, as its account sets it.
struct ActivityTerms: Hashable, Sendable {
  var goal: Goal
  var schedule: Schedule
  var startDay: LocalDay
  var endDay: LocalDay?
}
