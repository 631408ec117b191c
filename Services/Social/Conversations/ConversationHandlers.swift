import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Conversations: listed and marked as read.
enum ConversationHandlers {
  static func serve(_ service: inout ServiceDefinition) {
    service.serve(ListConversations.self, read: list)
    service.serve(MarkConversationRead.self, write: markRead)
  }

  private static func list(_ input: ListConversations.Input, _ call: Call, _ database: Database) throws -> Page<Conversation> {
    try ConversationStore.list(of: call.account, call.page(input), in: database)
  }

  private static func markRead(
    _ input: MarkConversationRead.Input, _ call: Call, _ transaction: Transaction
  ) throws -> MarkConversationRead.Output {
    let account = try call.account
    guard let left = try ConversationStore.markRead(account, input.accountID, upTo: input.messageID, transaction) else {
      throw Failure(RequestFailure.notFound)
    }
    return MarkConversationRead.Output(unreadCount: left)
  }
}
