public import ServiceKit
import SocialContract

/// Builds the social service: friend requests, friends, follows, conversations, messages.
public enum Social {
  /// The service as its executable and the tests run it.
  public static func service(_ environment: ServiceEnvironment) -> ServiceDefinition {
    var service = ServiceDefinition(
      .social,
      migrations: [
        Accounts.migration(1), FriendStore.migration(2), FriendRequestStore.migration(3), ConversationStore.migration(4),
        MessageStore.migration(5),
        Accounts.settingsMigration(6),
        SocialErasure.migration(7),
        FollowRequestStore.migration(8), FollowStore.migration(9),
      ])
    service.keepAccounts()
    FriendRequestHandlers.serve(&service)
    FriendHandlers.serve(&service)
    FollowRequestHandlers.serve(&service)
    FollowHandlers.serve(&service)
    ConversationHandlers.serve(&service)
    MessageHandlers.serve(&service)
    service.erase(SocialErasure.tables, environment, following: SocialErasure.ended)
    service.tellSnapshot(
      SnapshotParts([
        ("friendRequests", FriendRequestStore.snapshot), ("messages", MessageStore.snapshot),
        ("followRequests", FollowRequestStore.snapshot), ("follows", FollowStore.snapshot),
      ]).page)
    return service
  }
}
