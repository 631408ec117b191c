import CSocialWords
public import Operations

extension Contract {
  /// What social shows the other services and the clients.
  public static let social = Contract(
    .social,
    operations: [
      SendFriendRequest.self, ListFriendRequests.self, AcceptFriendRequest.self, RejectFriendRequest.self,
      ListFriends.self, RemoveFriend.self,
      SendFollowRequest.self, ListFollowRequests.self, AcceptFollowRequest.self, RejectFollowRequest.self,
      ListFollows.self, ListFollowers.self, RemoveFollow.self, RemoveFollower.self,
      ListConversations.self, ListMessages.self, SendMessage.self, MarkConversationRead.self,
    ],
    events: [
      FriendRequestSent.self, FriendRequestAccepted.self, FriendshipEnded.self, MessageSent.self,
      FollowRequestSent.self, FollowRequestAccepted.self, FollowChanged.self,
    ],
    words: [.init(en: [UInt8](social_words_en), es: [UInt8](social_words_es))])
}
