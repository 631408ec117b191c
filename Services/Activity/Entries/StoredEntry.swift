import ActivityContract
import Operations

/// An entry as it is stored.
struct StoredEntry: Hashable, Sendable {
  /// In the unit of the goal's target; 0 where no progress was ever written.
  var progress = 0
  /// The effective write of the progress; nil where no progress was ever written.
  var progressStamp: WriteStamp?
  var comment: String?
  var photoTag: String?
  var location: EntryLocation?
  var recordedAt: Instant
  /// The progress before its last write, and when that was written; see ``EntryChangeStore``.
  var previous: Previous?

  struct Previous: Hashable, Sendable {
    let progress: Int
    let at: Instant
  }

  /// The entry as clients see it.
  func entry(of goal: PlannedGoal) -> Entry {
    Entry(
      activityID: goal.activity, day: goal.day, isDone: goal.isDone(progress), amount: goal.measure.amount(progress),
      durationSeconds: goal.measure.durationSeconds(progress), comment: comment, location: location, photoTag: photoTag,
      recordedAt: recordedAt)
  }
}
