import IdentityContract
import Operations
import SocialContract

/// The rules for enrolling participants in a task, and for leaving it (TASK-1, TASK-3, TASK-5).
enum TaskParticipantRules {
  /// The rule that enrolling an account breaks; nil if it is allowed.
  ///
  /// - Parameters:
  ///   - username: the username that the creator gave.
  ///   - enrollment: the account's setting; nil where the account does not exist, or the creator may not know of it.
  ///   - hasOptedOut: whether the account left the task by itself: it must not be enrolled again and again.
  static func problem(
    _ username: Username, _ enrollment: TaskEnrollment?, isFriend: Bool, hasOptedOut: Bool = false
  ) -> FieldRule? {
    guard let enrollment else { return FieldRule("unknown_user", ["username": .text(username.description)]) }
    if hasOptedOut { return FieldRule("opted_out", ["username": .text(username.description)]) }
    return isAllowed(enrollment, isFriend: isFriend)
      ? nil : FieldRule("enrollment_not_allowed", ["username": .text(username.description)])
  }

  /// Whether somebody with that setting may be enrolled, in a task as in a team.
  static func isAllowed(_ enrollment: TaskEnrollment, isFriend: Bool) -> Bool {
    switch enrollment {
    case .everyone: true
    case .friends: isFriend
    case .nobody: false
    }
  }

  /// More than may take part.
  static var tooMany: Failure { TaskFailure.tooManyParticipants.with(["max": .number(TaskRules.maxParticipants)]) }

  /// Refuses to remove the task's creator, and a participant who has confirmed.
  static func checkRemoval(isCreator: Bool, isConfirmed: Bool) throws(TaskFailure) {
    if isCreator { throw .creatorStays }
    if isConfirmed { throw .participantConfirmed }
  }
}
