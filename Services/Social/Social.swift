public import ServiceKit
import SocialContract

/// The social service: friend requests, friends, follows, conversations, messages, challenges, blocks,
/// reports and moderation.
public enum Social {
  /// The service as its executable and the tests run it.
  public static func service(_ environment: ServiceEnvironment) -> ServiceDefinition {
    ServiceDefinition(
      .social, environment,
      features: [
        AccountsFeature(migrations: (table: 1, settings: 6)),
        FriendFeature(),
        FriendRequestFeature(),
        ConversationFeature(),
        MessageFeature(),
        FollowFeature(),
        FollowRequestFeature(),
      ])
  }
}
