import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Messages, searched.
enum MessageSearchHandlers {
  /// Friends that have not written yet find nothing; between strangers there is no conversation.
  static func search(_ input: SearchMessages.Input, _ call: AccountCall, _ database: Database) throws -> Page<ChatMessage> {
    let (account, other) = (call.account, input.accountID)
    let query = SearchText(input.query.description).string
    // A query of nothing but marks finds nothing.
    guard !query.isEmpty else { throw Failure.field("query", FieldRule("empty")) }
    let page = try call.page(input)
    if let conversation = try ConversationStore.find(account, other, in: database) {
      return try MessageSearchStore.search(query, of: conversation, page, in: database)
    }
    guard try FriendStore.areFriends(account, other, in: database) else { throw Failure(RequestFailure.notFound) }
    return Page(items: [])
  }
}
