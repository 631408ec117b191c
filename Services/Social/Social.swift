public import ServiceKit
import SocialContract

/// Builds the social service: friend requests, friends, follows, conversations, messages.
public enum Social {
  /// The service as its executable and the tests run it.
  public static func service(_ environment: ServiceEnvironment) -> ServiceDefinition {
    var service = ServiceDefinition(
      .social,
      migrations: [
        Accounts.migration(1), FriendStore.migration(2), FriendRequestStore.migration(3, "friend requests"),
        ConversationStore.migration(4),
        MessageStore.migration(5),
        Accounts.settingsMigration(6),
        SocialErasure.migration(7),
        FollowRequestStore.migration(8, "follow requests"), FollowStore.migration(9),
      ])
    service.keepAccounts()
    FriendRequests.serve(&service)
    FriendHandlers.serve(&service)
    FollowRequests.serve(&service)
    FollowHandlers.serve(&service)
    ConversationHandlers.serve(&service)
    MessageHandlers.serve(&service)
    service.erase(SocialErasure.tables, environment)
    service.publishSnapshot(
      SnapshotParts([
        ("friendRequests", [FriendRequestSent.self, FriendRequestAccepted.self], FriendRequestStore.snapshot),
        ("messages", [MessageSent.self], MessageStore.snapshot),
        ("followRequests", [FollowRequestSent.self, FollowRequestAccepted.self], FollowRequestStore.snapshot),
        ("follows", [FollowChanged.self], FollowStore.snapshot),
      ]).page)
    return service
  }
}
