import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Conversations: listed and marked as read.
enum ConversationHandlers {
  static func list(_ input: ListConversations.Input, _ call: AccountCall, _ database: Database) throws -> Page<Conversation> {
    try ConversationStore.list(of: call.account, call.page(input), in: database)
  }

  static func markRead(
    _ input: MarkConversationRead.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> MarkConversationRead.Output {
    let (account, other) = (call.account, input.accountID)
    let givesReceipt = try ReadReceiptStore.areShown(account, other, in: transaction.database)
    let reading = try ConversationStore.markRead(
      account, other, upTo: input.messageID, givesReceipt: givesReceipt, transaction)
    guard let reading else { throw Failure(RequestFailure.notFound) }
    guard try !transaction.database.isErased(other) else { return MarkConversationRead.Output(unreadCount: 0) }
    if reading.isFarther {
      for (one, another) in [(account, other)] + (givesReceipt ? [(other, account)] : []) {
        try transaction.publish(
          ConversationRead(
            accountID: one, otherAccountID: another, conversationID: reading.conversation, readerAccountID: account,
            messageID: input.messageID, at: transaction.now))
      }
    }
    return MarkConversationRead.Output(unreadCount: reading.unreadCount)
  }
}
