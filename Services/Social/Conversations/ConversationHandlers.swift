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
    let account = call.account
    guard let left = try ConversationStore.markRead(account, input.accountID, upTo: input.messageID, transaction) else {
      throw Failure(RequestFailure.notFound)
    }
    return MarkConversationRead.Output(unreadCount: left)
  }
}
