import ActivityContract
import Operations

extension Activity {
  /// The activity as an edit leaves it, its revision aside.
  ///
  /// - Parameters:
  ///   - recorded: the first and the last day that has an entry or a timer; nil where none has.
  ///   - putOff: from which day on such terms would hold, where a day that has an entry or a timer puts them off.
  ///   - excess: what is wrong with as many reminders, where the account may not have them.
  /// - Throws: `invalid_fields` with all that is wrong with what the edit says and with what it makes of the activity: `endDay` where it
  ///   would end before it begins, either day where it would leave out one that is recorded, `tie` where movement cannot complete its
  ///   goal, and what of goal, schedule and end is changed where the activity would end before they hold.
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
