import IdentityContract
import Operations
import SocialContract

/// Who may be enrolled in a task by whom, and who may leave it (TASK-1, TASK-3, TASK-5).
enum TaskParticipantRules {
  /// The rule that enrolling somebody breaks; nil where it may be.
  ///
  /// - Parameters:
  ///   - username: how the creator names it.
  ///   - enrollment: whom it allows that; nil where there is no such account, or none that the creator may know of.
  ///   - hasOptedOut: whether it left the task by itself: it is not to be asked that again and again.
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
    case .everybody: true
    case .friends: isFriend
    case .nobody: false
    }
  }

  /// More than may take part.
  static var tooMany: Failure { TaskFailure.tooManyParticipants.with(["max": .number(TaskRules.maxParticipants)]) }

  /// Refuses to remove who made the task, and who has confirmed.
  static func checkRemoval(isCreator: Bool, isConfirmed: Bool) throws(TaskFailure) {
    if isCreator { throw .creatorStays }
    if isConfirmed { throw .participantConfirmed }
  }
}
