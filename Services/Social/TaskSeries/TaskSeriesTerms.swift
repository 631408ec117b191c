import Operations

/// What its creator says of a recurring task, for the occurrences to come.
struct TaskSeriesTerms: Hashable, Sendable {
  /// Of each occurrence, which has its own day.
  let text: TaskText
  let planned: PlannedDays
  /// Nil for a series without an end.
  let endDay: LocalDay?
}
