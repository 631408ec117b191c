public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension ChatText: DatabaseValueConvertible {}

/// The messages of all conversations, in the order in which they were sent.
enum MessageStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "messages") { database in
      try database.execute(
        sql: """
          CREATE TABLE messages (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            message_id BLOB NOT NULL UNIQUE CHECK (length(message_id) = 16),
            conversation_id BLOB NOT NULL REFERENCES conversations (conversation_id),
            from_account BLOB NOT NULL CHECK (length(from_account) = 16),
            text TEXT NOT NULL CHECK (text <> ''),
            sent_at INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX messages_of_conversation ON messages (conversation_id, sequence);
          """)
    }
  }

  /// Finding what an account wrote and where it is the other one, without looking at everybody's.
  static func erasureMigration(_ number: Int) -> Migration {
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

  /// Adds a message to a conversation and moves the conversation to the top for both.
  static func add(
    _ text: ChatText, from account: AccountID, to other: AccountID, _ transaction: Transaction
  ) throws -> (message: ChatMessage, conversation: ID<Conversation>) {
    let conversation = try ConversationStore.findOrBegin(account, other, transaction)
    let message = ChatMessage(id: ID(), fromAccountID: account, text: text, sentAt: transaction.now)
    let statement = try transaction.database.cachedStatement(
      sql: "INSERT INTO messages (message_id, conversation_id, from_account, text, sent_at) VALUES (?, ?, ?, ?, ?)")
    try statement.execute(arguments: [message.id, conversation, account, text, message.sentAt])
    try ConversationStore.moved(
      to: transaction.database.lastInsertedRowID, writer: account, reader: other, transaction)
    return (message, conversation)
  }

  /// Whether who wrote a row of messages was not deleted, in SQL: what is left of an account is shown to nobody.
  static func isThere(_ table: String) -> String {
    "NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = \(table).from_account)"
  }

  /// A conversation's messages, newest first.
  static func list(of conversation: ID<Conversation>, _ page: PageRequest, in database: Database) throws -> Page<ChatMessage> {
    let statement = try database.cachedStatement(
      sql: """
        SELECT sequence, message_id, from_account, text, sent_at FROM messages
        WHERE conversation_id = ? AND sequence < ? AND \(isThere("messages")) ORDER BY sequence DESC LIMIT ?
        """)
    let rows = try Row.fetchAll(statement, arguments: [conversation, page.before, page.fetchLimit])
    return page.page(of: rows, key: { $0["sequence"] as Int64 }, item: ChatMessage.init)
  }
}

extension MessageStore {
  /// All messages as events, in the order in which they were sent; see `SnapshotParts`. Usernames are those of now.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT m.*, a.username, iif(m.from_account = c.low_account, c.high_account, c.low_account) AS to_account
        FROM messages m JOIN conversations c USING (conversation_id) JOIN accounts a ON a.account_id = m.from_account
        WHERE m.sequence > ? ORDER BY m.sequence LIMIT ?
        """, arguments: [key.flatMap { Int64($0) } ?? 0, SnapshotParts.pageSize])
    let events = rows.map { row in
      MessageSent(
        messageID: row["message_id"], conversationID: row["conversation_id"], fromAccountID: row["from_account"],
        fromUsername: row["username"], toAccountID: row["to_account"], text: row["text"], at: row["sent_at"])
    }
    return SnapshotParts.page(events, of: rows) { $0["sequence"] as Int64 }
  }
}

extension ChatMessage {
  init(_ row: Row) {
    self.init(id: row["message_id"], fromAccountID: row["from_account"], text: row["text"], sentAt: row["sent_at"])
  }
}
