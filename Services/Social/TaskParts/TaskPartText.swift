import Operations
import SocialContract

/// The creator's text for a part of a task.
struct TaskPartText: Hashable, Sendable {
  let title: TaskName
  /// Nil for none or an empty one.
  let description: TaskDescription?

  init(title: TaskName, description: TaskDescription?) {
    self.title = title
    self.description = description.flatMap { $0.description.isEmpty ? nil : $0 }
  }

  /// The bytes counted for its author.
  var bytes: Int { title.description.utf8.count + (description?.description.utf8.count ?? 0) }
}
