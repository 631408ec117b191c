import Operations
import SocialContract

/// Who may ask whom for permission to follow, and who may answer (SOC-7).
enum FollowRequestRules {
  /// Whom one account may follow, those included who have not answered yet.
  static let most = 1000

  /// How an account stands to the one that it asks.
  enum Standing: Hashable, Sendable {
    case strangers
    case following
    /// Its own request waits for an answer.
    case asking
  }

  /// - Parameter count: how many it follows and has asked.
  static func send(
    from account: AccountID, to other: AccountID, _ standing: Standing, count: Int
  ) throws(FollowRequestFailure) {
    guard account != other else { throw .toOneself }
    switch standing {
    case .strangers: guard count < most else { throw .tooMany }
    case .following: throw .alreadyFollowing
    case .asking: throw .pending
    }
  }

  /// What answering comes to.
  enum Answering: Hashable, Sendable {
    case change
    /// The same answer was given before.
    case nothing
  }

  /// - Parameters:
  ///   - answer: `accepted` or `rejected`.
  ///   - direction: which way the request goes for the account that answers.
  static func answer(
    _ answer: FollowRequest.State, _ state: FollowRequest.State, _ direction: FollowRequest.Direction
  ) throws(Failure) -> Answering {
    guard direction == .received else { throw Failure(RequestFailure.forbidden) }
    if state == .pending { return .change }
    guard state == answer else { throw FollowRequestFailure.answered.with() }
    return .nothing
  }
}
