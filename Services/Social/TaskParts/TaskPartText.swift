import Operations
import SocialContract

/// What a task's creator says of a part of it.
struct TaskPartText: Hashable, Sendable {
  let title: TaskName
  /// Nil where there is none; an empty one is none.
  let description: TaskDescription?

  init(title: TaskName, description: TaskDescription?) {
    self.title = title
    self.description = description.flatMap { $0.description.isEmpty ? nil : $0 }
  }

  /// What it counts among the bytes of who wrote it.
  var bytes: Int { title.description.utf8.count + (description?.description.utf8.count ?? 0) }
}
