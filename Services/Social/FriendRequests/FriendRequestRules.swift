import Operations
import SocialContract

/// Who may ask whom for friendship, and who may answer (SOC-1, SOC-3).
enum FriendRequestRules {
  /// How an account stands to the one that it asks.
  enum Standing: Hashable, Sendable {
    case strangers
    case friends
    /// Its own request waits for an answer.
    case asking
    /// The other's request waits for its answer.
    case asked(ID<FriendRequest>)
  }

  /// What asking comes to.
  enum Sending: Hashable, Sendable {
    case new
    /// Both have asked: they agree.
    case accept(ID<FriendRequest>)
  }

  static func send(from account: AccountID, to other: AccountID, _ standing: Standing) throws(FriendRequestFailure) -> Sending {
    guard account != other else { throw .toOneself }
    switch standing {
    case .strangers: return .new
    case .asked(let request): return .accept(request)
    case .friends: throw .alreadyFriends
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
    _ answer: FriendRequest.State, _ state: FriendRequest.State, _ direction: FriendRequest.Direction
  ) throws(Failure) -> Answering {
    guard direction == .received else { throw Failure(RequestFailure.forbidden) }
    if state == .pending { return .change }
    guard state == answer else { throw FriendRequestFailure.answered.with() }
    return .nothing
  }
}
