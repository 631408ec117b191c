public import GRDB
import Images
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

  /// Messages that are edited and removed, and that have a photo in place of a text or beside it.
  static func changesMigration(_ number: Int) -> Migration {
    Migration(number, "changes and photos of messages") { database in
      try database.redeclare("messages", replacing: "text TEXT NOT NULL CHECK", with: "text TEXT CHECK")
      try database.execute(
        sql: """
          ALTER TABLE messages ADD COLUMN photo_width INTEGER CHECK (photo_width > 0);
          ALTER TABLE messages ADD COLUMN photo_height INTEGER CHECK (photo_height > 0)
            CHECK ((photo_height IS NULL) = (photo_width IS NULL));
          ALTER TABLE messages ADD COLUMN edited_at INTEGER;
          -- A removed message has no text any more, and keeps its position.
          ALTER TABLE messages ADD COLUMN removed_at INTEGER
            CHECK ((removed_at IS NULL) = (text IS NOT NULL OR photo_width IS NOT NULL));
          DROP INDEX messages_of_conversation;
          CREATE UNIQUE INDEX messages_of_conversation ON messages (conversation_id, sequence);
          """)
    }
  }

  /// What a ``ChatMessage`` is made of, of a table of that name.
  static func columns(of table: String) -> String {
    ["message_id", "from_account", "text", "photo_width", "photo_height", "sent_at", "edited_at", "removed_at"]
      .map { "\(table).\($0)" }.joined(separator: ", ")
  }

  /// Adds a message to a conversation and moves the conversation to the top for both.
  static func add(
    _ content: MessageContent, from account: AccountID, to other: AccountID, _ transaction: Transaction
  ) throws -> (message: ChatMessage, conversation: ID<Conversation>) {
    let database = transaction.database
    let conversation = try ConversationStore.findOrBegin(account, other, transaction)
    let id = ID<ChatMessage>()
    let photo = content.photo.map { MessagePhoto(url: MessagePhotoURL(message: id), width: $0.width, height: $0.height) }
    let message = ChatMessage(
      id: id, fromAccountID: account, text: content.text, photo: photo, sentAt: transaction.now)
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO messages (message_id, conversation_id, from_account, text, photo_width, photo_height, sent_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
    try statement.execute(arguments: [
      id, conversation, account, content.text, photo?.width, photo?.height, message.sentAt,
    ])
    let sequence = database.lastInsertedRowID
    if let text = content.text { try MessageSearchStore.keep(text, at: sequence, of: conversation, in: database) }
    if let photo = content.photo { try MessagePhotoStore.add(photo, to: id, in: database) }
    try ConversationStore.moved(to: sequence, writer: account, reader: other, bytes: content.bytes, transaction)
    return (message, conversation)
  }

  /// Whether the author of a row of messages still exists, in SQL: the rest of a deleted account's data is shown to nobody.
  static func isThere(_ table: String) -> String {
    "NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = \(table).from_account)"
  }

  /// A page of a conversation's messages.
  static let listSQL = """
    SELECT sequence, \(columns(of: "messages")) FROM messages
    WHERE conversation_id = ? AND sequence < ? AND \(isThere("messages")) ORDER BY sequence DESC LIMIT ?
    """

  /// A conversation's messages, newest first.
  static func list(of conversation: ID<Conversation>, _ page: PageRequest, in database: Database) throws -> Page<ChatMessage> {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: listSQL), arguments: [conversation, page.before, page.fetchLimit])
    return page.page(of: rows, key: { $0["sequence"] as Int64 }, item: ChatMessage.init)
  }
}

extension ChatMessage {
  init(_ row: Row) {
    let id: ID<ChatMessage> = row["message_id"]
    var photo: MessagePhoto?
    if let width = row["photo_width"] as Int?, let height = row["photo_height"] as Int? {
      photo = MessagePhoto(url: MessagePhotoURL(message: id), width: width, height: height)
    }
    self.init(
      id: id, fromAccountID: row["from_account"], text: row["text"], photo: photo, sentAt: row["sent_at"],
      editedAt: row["edited_at"], removedAt: row["removed_at"])
  }
}
