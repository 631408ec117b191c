import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Conversations between two accounts that have exchanged messages, listed and marked as read (SOC-4, SOC-5).
///
/// The messages that the other account sent to a deleted account remain, in a conversation without a partner.
struct ConversationFeature: Feature {
  let migrations = [
    ConversationStore.migration(4), ConversationStore.receiptMigration(16), MessageSpaceStore.migration(52),
  ]
  let tables: [ErasedTable] = [
    // The other side has what it wrote itself, or nothing. It is dealt with while there is the account's own side.
    .changed(
      "conversation_sides",
      """
      account_id = :account OR (other_account = :account
        AND account_id IN (SELECT own.other_account FROM conversation_sides own WHERE own.account_id = :account))
      """, .conversations,
      inSteps: """
        DELETE FROM conversation_sides
        WHERE (account_id, other_account) IN (SELECT other_account, account_id FROM \(ConversationFeature.some))
          AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = conversation_sides.conversation_id)
        """,
      """
      UPDATE conversation_sides SET unread_count = 0, last_sequence = (
        SELECT max(sequence) FROM messages m WHERE m.conversation_id = conversation_sides.conversation_id)
      WHERE (account_id, other_account) IN (SELECT other_account, account_id FROM \(ConversationFeature.some))
      """,
      """
      DELETE FROM conversation_sides
      WHERE (account_id, other_account) IN (SELECT account_id, other_account FROM \(ConversationFeature.some))
      """),
    .rows("message_space", "account_id = :account", .messages).uncounted,
    .rows(
      "conversations",
      """
      (low_account = :account OR high_account = :account) AND NOT EXISTS (
        SELECT 1 FROM conversation_sides s WHERE s.conversation_id = conversations.conversation_id)
      """, .conversations),
  ]

  /// The first of the account's own sides.
  private static let some = "conversation_sides WHERE account_id = :account ORDER BY other_account LIMIT :limit"

  func register(in service: inout ServiceDefinition) {
    service.serve(ListConversations.self, read: ConversationHandlers.list)
    service.serve(MarkConversationRead.self, write: ConversationHandlers.markRead)
  }
}
