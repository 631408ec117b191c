import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Conversations between two accounts that have exchanged messages, listed and marked as read (SOC-4, SOC-5).
///
/// The messages that the other account sent to a deleted account remain, in a conversation without a partner.
struct ConversationFeature: Feature {
  let migrations = [ConversationStore.migration(4), ConversationStore.receiptMigration(16)]
  let tables: [ErasedTable] = [
    // The other side has what it wrote itself, or nothing.
    .changed(
      "conversation_sides", "account_id = :account OR other_account = :account", .conversations,
      by: "DELETE FROM conversation_sides WHERE account_id = :account",
      """
      UPDATE conversation_sides SET unread_count = 0, last_sequence = coalesce(
        (SELECT max(sequence) FROM messages m WHERE m.conversation_id = conversation_sides.conversation_id), 0)
      WHERE other_account = :account
      """, "DELETE FROM conversation_sides WHERE other_account = :account AND last_sequence = 0"),
    .rows(
      "conversations",
      """
      (low_account = :account OR high_account = :account) AND NOT EXISTS (
        SELECT 1 FROM conversation_sides s WHERE s.conversation_id = conversations.conversation_id)
      """, .conversations),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListConversations.self, read: ConversationHandlers.list)
    service.serve(MarkConversationRead.self, write: ConversationHandlers.markRead)
  }
}
