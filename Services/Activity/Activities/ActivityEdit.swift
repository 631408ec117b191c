import ActivityContract
import Operations

extension Activity {
  /// The activity as an edit leaves it, its revision aside.
  ///
  /// - Throws: `invalid_fields` naming `endDay` where the edit would let it end before it begins, and `tie` where movement cannot complete its goal.
  func edited(by input: UpdateActivity.Input) throws(Failure) -> Activity {
    let goal = input.goal.applied(to: goal)
    let start = input.startDay.applied(to: startDay)
    let end = input.endDay.applied(to: endDay)
    if let end, end < start { throw Failure.field("endDay", PlannableDays.mayNotEndBefore(start)) }
    let tie = input.tie.applied(to: tie)
    guard MovementTie.fits(tie, goal) else { throw Failure.field("tie", MovementTie.notForTie) }
    let reason: String? =
      switch input.reason {
      case .keep: reason
      case .clear: nil
      case .set(let new): new.value.description
      }
    return Activity(
      id: id, title: input.title.value?.trimmed ?? title, reason: reason,
      category: input.category.applied(to: category), goal: GoalMeasure(goal).goal(unit: goal.unit),
      schedule: PlannedDays(input.schedule.applied(to: schedule), anchor: start).schedule, startDay: start, endDay: end,
      reminders: input.reminders.value?.canonical ?? reminders, tags: input.tags.value?.canonical ?? tags, tie: tie,
      isArchived: isArchived,
      revision: revision, createdAt: createdAt)
  }
}

extension Array where Element: Comparable & Hashable {
  /// Each once, in order.
  var canonical: [Element] { Set(self).sorted() }
}
