import Operations
import SocialContract

/// Who may do what with a challenge (SOC-6).
enum FriendChallengeRules {
  /// How many that an account has sent may wait or be accepted.
  static let maximum = 1000
  /// How many an account may send within a day: what becomes of them is kept.
  static let maxPerDay = 50
  private static let daySeconds = 86_400

  /// How long the account has to wait before it sends another; nil where it may.
  ///
  /// - Parameter sentAt: when it sent the one that is ``maxPerDay`` before the next; nil where it has not sent so many.
  static func wait(sentAt: Instant?, at now: Instant) -> Int? {
    guard let end = sentAt?.adding(seconds: daySeconds), now < end else { return nil }
    return max(1, Int((end.milliseconds - now.milliseconds + 999) / 1000))
  }

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
