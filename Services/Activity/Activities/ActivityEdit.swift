import ActivityContract
import Operations

extension Activity {
  /// Returns the activity after an edit, with its revision unchanged.
  ///
  /// - Parameters:
  ///   - recorded: the first and the last day with an entry or a timer; nil where there are none.
  ///   - excess: the rule that the number of reminders breaks, if any.
  ///   - putOff: returns the day from which such terms would apply, where a day with an entry or a timer delays them.
  /// - Throws: `invalid_fields` with every problem of the edit and of the resulting activity: `endDay` where it is before the start, either
  ///   day where it would exclude a recorded day, `tie` where movement cannot complete the goal, and changed fields among goal, schedule
  ///   and end where the activity would end before they apply.
  func edited(
    by input: UpdateActivity.Input, recorded: ClosedRange<LocalDay>?, excess: FieldRule? = nil,
    putOff: (ActivityTerms) -> LocalDay?
  ) throws(Failure) -> Activity {
    var findings = FieldFindings(input.found)
    let goal = input.goal.applied(to: goal)
    let start = input.startDay.applied(to: startDay)
    let end = input.endDay.applied(to: endDay)
    if let end, end < start, input.found.areRight("startDay", "endDay") {
      findings.add("endDay", PlannableDays.mayNotEndBefore(start))
    }
    if let first = recorded?.lowerBound, start != startDay, start > first, input.found.areRight("startDay") {
      findings.add("startDay", FieldRule("starts_after_entries", ["day": .text(first.description)]))
    }
    if let last = recorded?.upperBound, let end, end != endDay, end < last, input.found.areRight("endDay") {
      findings.add("endDay", FieldRule("ends_before_entries", ["day": .text(last.description)]))
    }
    let tie = input.tie.applied(to: tie)
    if !MovementTie.fits(tie, goal), input.found.areRight("goal", "tie") { findings.add("tie", MovementTie.notForTie) }
    if let end, let last = recorded?.upperBound, end >= last, input.found.areRight("goal", "schedule", "startDay", "endDay") {
      let terms = ActivityTerms(
        goal: GoalMeasure(goal).goal(unit: goal.unit),
        schedule: PlannedDays(input.schedule.applied(to: schedule), anchor: start).schedule, startDay: start, endDay: end)
      let changed = [("goal", terms.goal != self.goal), ("schedule", terms.schedule != schedule), ("endDay", end != endDay)]
      if let field = changed.first(where: \.1)?.0, let day = putOff(terms), day > end {
        findings.add(field, FieldRule("holds_after_end", ["day": .text(day.description)]))
      }
    }
    if let excess { findings.add("reminders", excess) }
    try findings.end()
    let reason = if case .set(let new) = input.reason { new?.description } else { reason }
    return Activity(
      id: id, title: input.title.value?.trimmed ?? title, reason: reason,
      category: input.category.applied(to: category), goal: GoalMeasure(goal).goal(unit: goal.unit),
      schedule: PlannedDays(input.schedule.applied(to: schedule), anchor: start).schedule, startDay: start, endDay: end,
      holdsFrom: holdsFrom, reminders: input.reminders.value?.canonical ?? reminders, tags: input.tags.value?.canonical ?? tags,
      tie: tie,
      isArchived: isArchived,
      revision: revision, createdAt: createdAt)
  }
}

extension Array where Element: Comparable & Hashable {
  /// The distinct elements, sorted.
  var canonical: [Element] { Set(self).sorted() }
}
