import Operations
import SocialContract

/// Who may answer an invitation, and who may withdraw it (TEAM-1).
enum TeamInvitationRules {
  /// How many of one team may wait.
  static let maximum = 100

  /// Whether an answer changes anything: the same one again does not.
  ///
  /// - Parameters:
  ///   - answer: `accepted` or `rejected`, by who has received it, or `withdrawn`, by the team's owner.
  ///   - direction: which way the invitation goes for the account that answers.
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
