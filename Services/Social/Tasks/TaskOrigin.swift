import Operations
import SocialContract

/// What a new task comes from, and of what those who take part in it are notified.
struct TaskOrigin: Hashable, Sendable {
  /// The series of which it is an occurrence, and on which day.
  var series: ID<TaskSeries>?
  var day: LocalDay?
  /// The team whose own it is.
  var team: ID<Team>?
  /// `enrolled`: the others, by its creator; `recurred`: all of them; nil: nobody.
  var notice: TaskNotice? = .enrolled
}
