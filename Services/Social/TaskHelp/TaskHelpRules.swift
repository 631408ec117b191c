import Operations
import SocialContract

/// Who may ask for help, and thank whom (TASK-7).
enum TaskHelpRules {
  /// How often one person asks for help and offers it in one task within a day: each time the others are notified.
  static let maxPerDay = 10

  /// Refuses to ask again for a while who has asked and offered so often.
  ///
  /// - Parameter earlier: when it did last, the newest first.
  static func checkRepetition(_ earlier: [Instant], at now: Instant) throws {
    guard let seconds = ConnectionRequestRepetition.wait(earlier, max: maxPerDay, at: now) else { return }
    throw TaskHelpFailure.tooOften.with(["max": .number(maxPerDay)], retryAfterSeconds: seconds)
  }

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
