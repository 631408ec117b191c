import Operations
import SocialContract

/// Who may do what with a challenge (SOC-6).
enum FriendChallengeRules {
  /// How many that an account has sent may wait or be accepted.
  static let maximum = 1000

  /// Whether an answer changes anything: the same one again does not.
  ///
  /// - Parameters:
  ///   - answer: `accepted` or `rejected`, by who has received it, or `withdrawn`, by who has sent it.
  ///   - direction: which way the challenge goes for the account that answers.
  static func isChanged(
    _ state: FriendChallengeState, by answer: FriendChallengeState, _ direction: ConnectionRequestDirection
  ) throws(Failure) -> Bool {
    guard direction == (answer == .withdrawn ? .sent : .received) else { throw Failure(RequestFailure.forbidden) }
    if state == .pending { return true }
    guard state == answer else { throw FriendChallengeFailure.answered.with() }
    return false
  }

  /// Whether ending it changes anything: it does once, by either of the two.
  static func isEnded(_ state: FriendChallengeState) throws(FriendChallengeFailure) -> Bool {
    switch state {
    case .accepted: return true
    case .ended: return false
    case .pending, .rejected, .withdrawn: throw .notAccepted
    }
  }
}
