import Operations
import SocialContract

/// The origin of a new task, and the notice that its participants get.
struct TaskOrigin: Hashable, Sendable {
  /// The series of which it is an occurrence, and on which day.
  var series: ID<TaskSeries>?
  var day: LocalDay?
  /// The team whose own it is.
  var team: ID<Team>?
  /// `enrolled`: to all but the creator, by the creator; `recurred`: to all; nil: to nobody.
  var notice: TaskNotice? = .enrolled
}
