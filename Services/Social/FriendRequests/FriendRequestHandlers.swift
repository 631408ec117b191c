import Operations
import SocialContract

/// Friend requests: sent, listed, accepted, rejected, withdrawn, as requests of all kinds are.
typealias FriendRequestHandlers = ConnectionRequestHandlers<Friendship>

extension FriendRequestFailure: ConnectionRefusal {
  static var alreadyConnected: FriendRequestFailure { .alreadyFriends }
}

extension SendFriendRequest.Input: RequestSending {}

extension AnswerFriendRequest: RequestAnswer {
  var requestID: ID<FriendRequest> { friendRequestID }
}
