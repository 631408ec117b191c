import Operations
import SocialContract

/// Follow requests: sent, listed, accepted, rejected, withdrawn, as requests of all kinds are.
typealias FollowRequestHandlers = ConnectionRequestHandlers<Following>

extension FollowRequestFailure: ConnectionRefusal {
  static var alreadyConnected: FollowRequestFailure { .alreadyFollowing }
}

extension SendFollowRequest.Input: RequestSending {}

extension AnswerFollowRequest: RequestAnswer {
  var requestID: ID<FollowRequest> { followRequestID }
}
