import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// How social forgets an account (ID-12): a new table is a new line here.
///
/// What the account wrote is gone for its friends too. What they wrote to it is theirs: it stays, in a conversation with nobody.
enum SocialErasure {
  static let tables: [ErasedTable] = [
    .rows("friend_requests", "from_account = :account OR to_account = :account", .friendRequests),
    .rows("friendships", "low_account = :account OR high_account = :account", .friendships)
      .publishing([FriendshipEnded.spec.name], FriendStore.ended),
    .rows("follow_requests", "from_account = :account OR to_account = :account", .followRequests),
    .rows("follows", "follower_account = :account OR followed_account = :account", .follows)
      .publishing([FollowChanged.spec.name], FollowStore.ended),
    .rows("messages", "from_account = :account", .messages),
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

  /// Finding what an account wrote and where it is the other one, without looking at everybody's.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "messages and conversations by account") { database in
      try database.execute(
        sql: """
          CREATE INDEX messages_by_writer ON messages (from_account);
          CREATE INDEX conversation_sides_by_other ON conversation_sides (other_account);
          CREATE INDEX conversation_sides_by_conversation ON conversation_sides (conversation_id);
          CREATE INDEX conversations_by_high_account ON conversations (high_account);
          """)
    }
  }
}
