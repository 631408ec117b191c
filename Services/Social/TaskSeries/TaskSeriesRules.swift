import Operations

/// On which days a recurring task has its occurrences (TASK-1).
enum TaskSeriesRules {
  /// How many that an account made may go on.
  static let maxActive = 100
  /// How many occurrences of one series may be open; when a further one comes, the oldest is cancelled.
  static let maxOpenOccurrences = 3
  /// How far apart two planned days can be, and more.
  private static let horizon = 400

  /// The first planned day from a day on; nil where none is left.
  ///
  /// - Parameter last: the last day that can be planned.
  static func firstDay(_ planned: PlannedDays, from day: LocalDay, until last: LocalDay?) -> LocalDay? {
    let end = min(last ?? PlannableDays.all.upperBound, PlannableDays.all.upperBound)
    var day = day
    for _ in 0...horizon where day <= end {
      if planned.contains(day) { return day }
      day = day.advanced(by: 1)
    }
    return nil
  }

  /// What becomes of a series on a day.
  struct Step: Hashable, Sendable {
    /// The day whose occurrence is created now; nil where none has begun since the last one.
    let occurrence: LocalDay?
    /// The day of the next occurrence; nil where none is left.
    let next: LocalDay?
  }

  /// Of the planned days that have begun, only the last one has an occurrence: after a long time without the server people begin with
  /// today.
  ///
  /// - Parameter next: the planned day that is due next.
  static func step(_ planned: PlannedDays, next: LocalDay, today: LocalDay, until last: LocalDay?) -> Step {
    guard next <= today else { return Step(occurrence: nil, next: next) }
    let end = min(last ?? today, today)
    var day = end
    while day > next, day.distance(to: end) < horizon, !planned.contains(day) { day = day.advanced(by: -1) }
    return Step(
      occurrence: planned.contains(day) && day >= next ? day : nil,
      next: firstDay(planned, from: today.advanced(by: 1), until: last))
  }
}
