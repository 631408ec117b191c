import Operations
import ServiceKit
import SocialContract
import Storage

/// What the inbox learns from social.
struct InboxSubscriptions: Sendable {
  let signal: WakeSignal

  /// Reading a conversation marks its messages as read, and they are no longer pushed. The event for the writer is a receipt, and changes
  /// nothing here.
  func conversationRead(_ event: ConversationRead, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard event.accountID == event.readerAccountID, try !transaction.database.isErased(event.accountID) else { return }
    let isLeft = try ReadConversationStore.begin(
      event.conversationID, upTo: event.messageID, of: event.accountID, transaction)
    if isLeft { transaction.afterCommit { [signal] in signal.send() } }
  }
}
