import NotificationsContract
import Operations
import SocialContract

/// Challenges among friends: for the challenged account, and for the challenger when it is answered. All other changes show only in the
/// list of challenges.
extension NotificationSpec {
  static let ofChallenges: [NotificationSpec] = [
    friendChallengeReceived, friendChallengeAccepted, friendChallengeRejected,
  ]

  private static let friendChallengeReceived = NotificationSpec(
    "friendChallengeReceived", .challenges, on: FriendChallengeChanged.self,
    when: { $0.state == .pending && $0.direction == .received }, about: { $0.friendChallengeID }, to: { $0.accountID },
    inbox: part)

  /// For the challenger; the other one accepted by its own hand.
  private static let friendChallengeAccepted = NotificationSpec(
    "friendChallengeAccepted", .challenges, on: FriendChallengeChanged.self,
    when: { $0.state == .accepted && $0.direction == .sent }, about: { $0.friendChallengeID }, to: { $0.accountID },
    inbox: part)

  /// The same for a rejection. It is only in the inbox: it alerts nobody.
  private static let friendChallengeRejected = NotificationSpec(
    "friendChallengeRejected", .challenges, on: FriendChallengeChanged.self,
    when: { $0.state == .rejected && $0.direction == .sent }, about: { $0.friendChallengeID }, to: { $0.accountID },
    inbox: part, delivery: DeliverySpec(defaults: [.inbox], urgency: .low))

  private static let part = InboxPart<FriendChallengeChanged>(
    values: [.text("username") { $0.otherUsername.description }, .text("activity") { $0.activityTitle }],
    links: { NotificationLinks(accountID: $0.otherAccountID, friendChallengeID: ID(linking: $0.friendChallengeID)) })
}
