import NotificationsContract
import Operations
import SocialContract

extension NotificationSpec {
  static let ofMessages: [NotificationSpec] = [messageReceived, photoReceived, messageEdited, messageRemoved]

  private static let messageReceived = NotificationSpec(
    "messageReceived", .messages, on: MessageSent.self, when: { $0.text != nil }, about: { $0.messageID },
    to: { $0.toAccountID },
    inbox: .init(
      values: [
        .text("username") { $0.fromUsername.description }, .text("message") { Excerpt.of($0.text) },
      ], links: links), delivery: delivery)

  private static let photoReceived = NotificationSpec(
    "photoReceived", .messages, on: MessageSent.self, when: { $0.text == nil }, about: { $0.messageID },
    to: { $0.toAccountID }, inbox: .init(values: [.text("username") { $0.fromUsername.description }], links: links),
    delivery: delivery)

  /// Who has the conversation open reads it before it is pushed, see ``ReadConversationStore``.
  private static let delivery = NotificationCategory.messages.delivery.limited(to: [.inbox, .push]).delayed(bySeconds: 5)

  /// Takes effect in the notification of the message, which stays as read as it was.
  private static let messageEdited = NotificationSpec(
    "messageEdited", .messages, on: MessageEdited.self, when: { $0.accountID != $0.message.fromAccountID },
    about: { $0.message.id }, to: { $0.accountID },
    inbox: .init(
      amending: MessageSent.self,
      values: [
        .text("username") { $0.fromUsername.description }, .text("message") { Excerpt.of($0.message.text) },
      ],
      links: {
        NotificationLinks(
          accountID: $0.message.fromAccountID, conversationID: ID(linking: $0.conversationID),
          messageID: ID(linking: $0.message.id))
      }))

  /// The same for a removal: nothing of the message is left in the notification.
  private static let messageRemoved = NotificationSpec(
    "messageRemoved", .messages, on: MessageRemoved.self, when: { $0.accountID != $0.fromAccountID },
    about: { $0.messageID }, to: { $0.accountID },
    inbox: .init(
      amending: MessageSent.self, isRemoval: true, values: [.text("username") { $0.fromUsername.description }],
      links: {
        NotificationLinks(
          accountID: $0.fromAccountID, conversationID: ID(linking: $0.conversationID), messageID: ID(linking: $0.messageID))
      }))

  private static let links: @Sendable (MessageSent) -> NotificationLinks = {
    NotificationLinks(
      accountID: $0.fromAccountID, conversationID: ID(linking: $0.conversationID), messageID: ID(linking: $0.messageID))
  }
}

extension Excerpt {
  /// The beginning of a message; empty for a photo without text.
  fileprivate static func of(_ text: ChatText?) -> String { text.map { of($0.description) } ?? "" }
}
