import Operations
import SocialContract

/// What its creator says of a task.
struct TaskText: Hashable, Sendable {
  let name: TaskName
  /// Nil where there is none; an empty one is none.
  let description: TaskDescription?
  let dueDay: LocalDay?

  init(name: TaskName, description: TaskDescription?, dueDay: LocalDay?) {
    self.name = name
    self.description = description.flatMap { $0.description.isEmpty ? nil : $0 }
    self.dueDay = dueDay
  }

  /// What it counts among the bytes of who wrote it.
  var bytes: Int { name.description.utf8.count + (description?.description.utf8.count ?? 0) }
}
