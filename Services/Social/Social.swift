public import ServiceKit
import SocialContract

/// Builds the social service: friend requests, friends, conversations, messages.
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
      ])
    service.keepAccounts()
    FriendRequestHandlers.serve(&service)
    FriendHandlers.serve(&service)
    ConversationHandlers.serve(&service)
    MessageHandlers.serve(&service)
    service.erase(SocialErasure.tables, environment, following: SocialErasure.endedFriendships)
    service.tellSnapshot(
      SnapshotParts([("friendRequests", FriendRequestStore.snapshot), ("messages", MessageStore.snapshot)]).page)
    return service
  }
}
