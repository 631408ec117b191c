import Operations
import SocialContract

/// Who may ask for help, and thank whom (TASK-7).
enum TaskHelpRules {
  /// Refuses to ask where nobody else is there, or the same waits already.
  static func check(
    _ kind: TaskHelpKind, in state: TaskState, participants: Int, isOpen: Bool
  ) throws {
    try TaskRules.expectOpen(state)
    guard participants > 1 else { throw TaskHelpFailure.noOthers }
    guard !isOpen else { throw kind == .request ? TaskHelpFailure.alreadyRequested : .alreadyOffered }
  }

  /// Refuses to thank for what others asked, or for an offer, and who has not helped.
  static func checkThanks(_ kind: TaskHelpKind, isOwn: Bool, hasHelped: Bool) throws {
    guard isOwn, kind == .request else { throw Failure(RequestFailure.forbidden) }
    guard hasHelped else { throw TaskHelpFailure.notHelped }
  }
}
