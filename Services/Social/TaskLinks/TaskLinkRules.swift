import Operations
import SocialContract

/// To which tasks there are public links, and what they show (TASK-6).
enum TaskLinkRules {
  /// Links of an account.
  static let maxPerAccount = 1000
  /// Tasks on the page of a public profile: those whose links are the newest.
  static let maxOnProfile = 100

  /// Refuses a link to a task that is not completed.
  static func expectCompleted(_ state: TaskState) throws(TaskLinkFailure) {
    guard state == .completed else { throw .notCompleted }
  }

  /// Refuses to show what another wrote.
  static func checkDescription(isShown: Bool, isCreator: Bool) throws(Failure) {
    guard isShown, !isCreator else { return }
    throw Failure.field("showsDescription", CreateTaskLink.Input.othersDescription)
  }
}
