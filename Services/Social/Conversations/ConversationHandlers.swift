import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Conversations: listed and marked as read.
enum ConversationHandlers {
  static func serve(_ service: inout ServiceDefinition) {
    service.serve(ListConversations.self) { input, call, database in
      try ConversationStore.list(of: call.account, PageRequest(limit: input.limit, cursor: input.cursor), in: database)
    }
    service.serve(MarkConversationRead.self) { input, call, transaction in
      let account = try call.account
      guard let left = try ConversationStore.markRead(account, input.accountID, upTo: input.messageID, transaction) else {
        throw Failure(RequestFailure.notFound)
      }
      return MarkConversationRead.Output(unreadCount: left)
    }
  }
}
