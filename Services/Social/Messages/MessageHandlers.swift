import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Messages: sent, listed, edited and removed.
struct MessageHandlers: Sendable {
  let rules: MessageRules

  func send(_ input: SendMessage.Input, _ call: AccountCall, _ transaction: Transaction) throws -> ChatMessage {
    try MessageStore.send(MessageContent(text: input.text), from: call.account, to: input.accountID, rules, transaction)
  }

  /// Friends that have not written yet see an empty page; between strangers there is no conversation.
  func list(_ input: ListMessages.Input, _ call: AccountCall, _ database: Database) throws -> ConversationMessages {
    let (account, other) = (call.account, input.accountID)
    let isFriend = try FriendStore.areFriends(account, other, in: database)
    let side = try ConversationStore.side(account, other, in: database)
    guard isFriend || side != nil else { throw Failure(RequestFailure.notFound) }
    let request = try call.page(input)
    let page = try side.map { try MessageStore.list(of: $0.conversation, request, in: database) } ?? Page(items: [])
    let person = try ShownPersonStore.find(other, for: account, in: database)
    return ConversationMessages(
      items: page.items, nextCursor: page.nextCursor, accountID: other, username: person.username,
      nickname: person.nickname, photoURL: person.photoURL, isFriend: isFriend,
      unreadCount: try database.isErased(other) ? 0 : side?.unreadCount ?? 0,
      otherReadMessageID: try ReadReceiptStore.areShown(account, other, in: database)
        ? ReadReceiptStore.find(from: other, to: account, in: database) : nil)
  }

  func edit(_ input: EditMessage.Input, _ call: AccountCall, _ transaction: Transaction) throws -> ChatMessage {
    let sent = try MessageStore.sent(input.messageID, by: call.account, in: transaction.database)
    try MessageRules.checkEdit(sent.message, at: transaction.now)
    guard try FriendStore.areFriends(sent.message.fromAccountID, sent.other, in: transaction.database) else {
      throw MessageFailure.notFriends
    }
    guard let text = input.text.value, text != sent.message.text else { return sent.message }
    let added = text.bytes - (sent.message.text?.bytes ?? 0)
    try rules.checkSpace(stored: MessageSpaceStore.bytes(of: call.account, in: transaction.database), adding: added)
    return try MessageStore.edit(sent, text, transaction)
  }

  func remove(_ input: RemoveMessage.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let sent = try MessageStore.sent(input.messageID, by: call.account, in: transaction.database)
    if try MessageRules.removal(sent.message, at: transaction.now) { try MessageStore.remove(sent, transaction) }
    return Empty()
  }
}
