import Operations
import SocialContract

/// The rules for requests for help, and for thanks (TASK-7).
enum TaskHelpRules {
  /// How often one person asks for help and offers it in one task within a day: each time the others are notified.
  static let maxPerDay = 10

  /// Refuses further requests for a while after too many requests and offers.
  ///
  /// - Parameter earlier: the times of the account's last ones, newest first.
  static func checkRepetition(_ earlier: [Instant], at now: Instant) throws {
    guard let seconds = ConnectionRequestRepetition.wait(earlier, max: maxPerDay, at: now) else { return }
    throw TaskHelpFailure.tooOften.with(["max": .number(maxPerDay)], retryAfterSeconds: seconds)
  }

  /// Refuses a request without another participant, or while the same one is open.
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
