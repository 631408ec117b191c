import ActivityContract
import Operations

/// How many planned days in a row were done (ACT-10).
enum StreakRule {
  /// - Parameters:
  ///   - done: the days on which the goal was reached, oldest first; those that are not planned or yet to come do not count.
  ///   - start: the activity's first day.
  static func streak(done: some Sequence<LocalDay>, planned: PlannedDays, start: LocalDay, today: LocalDay) -> Streak {
    var longest = 0
    var run = 0
    var last: LocalDay?
    for day in done where day >= start && day <= today && planned.contains(day) {
      run = last.map { planned.next(after: $0) } == day ? run + 1 : 1
      longest = max(longest, run)
      last = day
    }
    guard let last else { return Streak(current: 0, longest: 0) }
    // The row reaches up to now if no planned day lies between its end and today, today itself still being open.
    return Streak(current: planned.next(after: last) >= today ? run : 0, longest: longest)
  }
}
