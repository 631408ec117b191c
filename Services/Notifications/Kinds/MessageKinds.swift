import NotificationsContract
import Operations
import SocialContract

extension NotificationSpec {
  static let ofMessages: [NotificationSpec] = [messageReceived]

  private static let messageReceived = NotificationSpec(
    "messageReceived", .messages, .information, on: MessageSent.self, about: { $0.messageID }, to: { $0.toAccountID },
    inbox: .init(
      values: [
        .text("username") { $0.fromUsername.description }, .text("message") { Excerpt.of($0.text.description) },
      ],
      links: {
        NotificationLinks(
          accountID: $0.fromAccountID, conversationID: ID(linking: $0.conversationID), messageID: ID(linking: $0.messageID))
      }))
}
