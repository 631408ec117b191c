import Operations
import SocialContract

/// The rules for answering and withdrawing invitations (TEAM-1).
enum TeamInvitationRules {
  /// How many of one team may wait.
  static let maximum = 100

  /// Whether an answer changes the state: repeating an answer does not.
  ///
  /// - Parameters:
  ///   - answer: `accepted` or `rejected`, by the recipient, or `withdrawn`, by the team's owner.
  ///   - direction: the invitation's direction, as the answering account sees it.
  static func isChanged(
    _ state: ConnectionRequestState, by answer: ConnectionRequestState, _ direction: ConnectionRequestDirection
  ) throws(Failure) -> Bool {
    guard direction == (answer == .withdrawn ? .sent : .received) else { throw Failure(RequestFailure.forbidden) }
    switch state {
    case .pending: return true
    case answer: return false
    case .accepted, .rejected: throw TeamInvitationFailure.answered.with()
    case .withdrawn, .expired: throw TeamInvitationFailure.ended.with()
    }
  }
}
