import Operations
import SocialContract

/// What its creator says of a task.
struct TaskText: Hashable, Sendable {
  let name: TaskName
  /// Nil for none or an empty one.
  let description: TaskDescription?
  let dueDay: LocalDay?

  init(name: TaskName, description: TaskDescription?, dueDay: LocalDay?) {
    self.name = name
    self.description = description.flatMap { $0.description.isEmpty ? nil : $0 }
    self.dueDay = dueDay
  }

  /// The bytes counted for its author.
  var bytes: Int { name.description.utf8.count + (description?.description.utf8.count ?? 0) }
}
