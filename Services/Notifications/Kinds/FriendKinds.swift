import NotificationsContract
import Operations
import SocialContract

extension NotificationSpec {
  static let ofFriends: [NotificationSpec] = [
    friendRequestReceived, friendRequestAccepted, followRequestReceived, followRequestAccepted,
  ]

  private static let friendRequestReceived = NotificationSpec(
    "friendRequestReceived", .social, on: FriendRequestSent.self, about: { $0.friendRequestID },
    to: { $0.toAccountID },
    inbox: .init(
      values: [.text("username") { $0.fromUsername.description }],
      links: { NotificationLinks(accountID: $0.fromAccountID, friendRequestID: ID(linking: $0.friendRequestID)) }))

  /// For the account that had asked; the other one accepted by its own hand.
  private static let friendRequestAccepted = NotificationSpec(
    "friendRequestAccepted", .social, on: FriendRequestAccepted.self, about: { $0.friendRequestID },
    to: { $0.fromAccountID },
    inbox: .init(
      values: [.text("username") { $0.toUsername.description }],
      links: { NotificationLinks(accountID: $0.toAccountID, friendRequestID: ID(linking: $0.friendRequestID)) }))

  private static let followRequestReceived = NotificationSpec(
    "followRequestReceived", .social, on: FollowRequestSent.self, about: { $0.followRequestID },
    to: { $0.toAccountID },
    inbox: .init(
      values: [.text("username") { $0.fromUsername.description }],
      links: { NotificationLinks(accountID: $0.fromAccountID, followRequestID: ID(linking: $0.followRequestID)) }))

  /// For the account that had asked; the other one accepted by its own hand.
  private static let followRequestAccepted = NotificationSpec(
    "followRequestAccepted", .social, on: FollowRequestAccepted.self, about: { $0.followRequestID },
    to: { $0.fromAccountID },
    inbox: .init(
      values: [.text("username") { $0.toUsername.description }],
      links: { NotificationLinks(accountID: $0.toAccountID, followRequestID: ID(linking: $0.followRequestID)) }))
}
