public import Operations

extension Contract {
  /// What social shows the other services and the clients.
  public static let social = Contract(
    .social,
    operations: [
      SendFriendRequest.self, ListFriendRequests.self, AcceptFriendRequest.self, RejectFriendRequest.self,
      ListFriends.self, RemoveFriend.self,
      ListConversations.self, ListMessages.self, SendMessage.self, MarkConversationRead.self,
    ],
    events: [FriendRequestSent.self, FriendRequestAccepted.self, FriendshipEnded.self, MessageSent.self],
    words: [.init(en: PackageResources.en_json, es: PackageResources.es_json)])
}
