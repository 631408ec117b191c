import Operations

/// What its creator says of a recurring task, for the occurrences to come.
struct TaskSeriesTerms: Hashable, Sendable {
  /// Of each occurrence, which has its own day.
  let text: TaskText
  let planned: PlannedDays
  /// Nil where it goes on.
  let endDay: LocalDay?
}
