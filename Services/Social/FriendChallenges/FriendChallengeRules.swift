import Operations
import SocialContract

/// The rules for challenges (SOC-6).
enum FriendChallengeRules {
  /// How many that an account has sent may wait or be accepted.
  static let maximum = 1000
  /// The most challenges that an account may send within a day, since all of them are kept.
  static let maxPerDay = 50
  private static let daySeconds = 86_400

  /// How long the account has to wait before its next challenge; nil where it may send one.
  ///
  /// - Parameter sentAt: when it sent the challenge that is ``maxPerDay`` before the next; nil where it has sent fewer.
  static func wait(sentAt: Instant?, at now: Instant) -> Int? {
    guard let end = sentAt?.adding(seconds: daySeconds), now < end else { return nil }
    return max(1, Int((end.milliseconds - now.milliseconds + 999) / 1000))
  }

  /// Whether an answer changes the state: repeating an answer does not.
  ///
  /// - Parameters:
  ///   - answer: `accepted` or `rejected`, by the recipient, or `withdrawn`, by the sender.
  ///   - direction: the challenge's direction, as the answering account sees it.
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
