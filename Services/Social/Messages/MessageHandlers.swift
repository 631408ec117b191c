import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Messages: sent and listed.
enum MessageHandlers {
  static func send(_ input: SendMessage.Input, _ call: AccountCall, _ transaction: Transaction) throws -> ChatMessage {
    let account = call.account
    guard try FriendStore.areFriends(account, input.accountID, in: transaction.database) else { throw MessageFailure.notFriends }
    let writer = try Accounts.known(account, in: transaction.database)
    let (message, conversation) = try MessageStore.add(input.text, from: account, to: input.accountID, transaction)
    try transaction.publish(
      MessageSent(
        messageID: message.id, conversationID: conversation, fromAccountID: account, fromUsername: writer.username,
        toAccountID: input.accountID, text: input.text, at: message.sentAt))
    return message
  }

  /// Friends that have not written yet see an empty page; between strangers there is no conversation.
  static func list(_ input: ListMessages.Input, _ call: AccountCall, _ database: Database) throws -> Page<ChatMessage> {
    let account = call.account
    let page = try call.page(input)
    if let conversation = try ConversationStore.find(account, input.accountID, in: database) {
      return try MessageStore.list(of: conversation, page, in: database)
    }
    guard try FriendStore.areFriends(account, input.accountID, in: database) else { throw Failure(RequestFailure.notFound) }
    return Page(items: [])
  }
}
