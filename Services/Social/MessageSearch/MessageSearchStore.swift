import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The texts of messages as they are searched: those of a conversation lie side by side, so that a search goes through them in one stretch.
enum MessageSearchStore {
  /// How many messages one page looks through, and how many bytes of their texts: whichever comes first. What is left is on the next page.
  static let maxSearched = 10_000
  static let maxBytes = 1 << 20
  /// How many are looked through at a time; of the longest texts there are, that is 8 MB.
  private static let stretch = 256

  static func migration(_ number: Int) -> Migration {
    Migration(number, "search in messages") { database in
      try database.execute(
        sql: """
          CREATE TABLE message_texts (
            conversation_id BLOB NOT NULL,
            sequence INTEGER NOT NULL,
            -- as it is compared with what is looked for
            folded TEXT NOT NULL,
            PRIMARY KEY (conversation_id, sequence),
            FOREIGN KEY (conversation_id, sequence) REFERENCES messages (conversation_id, sequence) ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          """)
      let rows = try Row.fetchCursor(database, sql: "SELECT conversation_id, sequence, text FROM messages WHERE text IS NOT NULL")
      while let row = try rows.next() {
        try keep(row["text"], at: row["sequence"], of: row["conversation_id"], in: database)
      }
    }
  }

  /// Indexes a message by its text, in place of the former one.
  static func keep(
    _ text: ChatText, at sequence: Int64, of conversation: ID<Conversation>, in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO message_texts (conversation_id, sequence, folded) VALUES (?, ?, ?)
        ON CONFLICT (conversation_id, sequence) DO UPDATE SET folded = excluded.folded
        """
    ).execute(arguments: [conversation, sequence, folded(text)])
  }

  /// The searchable form of a text, at most twice its bytes: some characters stand for whole words (U+FDFA), and a text of these would
  /// store many times the bytes that are counted.
  static func folded(_ text: ChatText) -> String {
    SearchText(text.description).string.beginning(maxBytes: 2 * text.bytes)
  }

  /// Removes a message from the index.
  static func forget(at sequence: Int64, of conversation: ID<Conversation>, in database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM message_texts WHERE conversation_id = ? AND sequence = ?")
      .execute(arguments: [conversation, sequence])
  }

  /// The last message that a page searches, if more may follow.
  static let endSQL = """
    SELECT sequence FROM message_texts WHERE conversation_id = ?1 AND sequence < ?2 ORDER BY sequence DESC LIMIT 1 OFFSET ?3
    """

  /// The bytes of the texts down to that one.
  static let bytesSQL = """
    SELECT coalesce(sum(length(CAST(folded AS BLOB))), 0) FROM message_texts
    WHERE conversation_id = ?1 AND sequence < ?2 AND sequence >= ?3
    """

  /// The messages that contain a text, down to that one.
  static let searchSQL = """
    SELECT t.sequence, \(MessageStore.columns(of: "m"))
    FROM message_texts t CROSS JOIN messages m ON m.sequence = t.sequence
    WHERE t.conversation_id = ?1 AND t.sequence < ?2 AND t.sequence >= ?3 AND instr(t.folded, ?4) > 0
      AND \(MessageStore.isThere("m"))
    ORDER BY t.sequence DESC LIMIT ?5
    """

  /// The messages of a conversation that hold a text, newest first.
  ///
  /// - Parameter maxSearched: how many messages the page looks through.
  static func search(
    _ query: String, of conversation: ID<Conversation>, _ page: PageRequest, maxSearched: Int = maxSearched, in database: Database
  ) throws -> Page<ChatMessage> {
    var before = try page.before
    var (rows, searched, bytes) = ([Row](), 0, 0)
    while searched < maxSearched, bytes < maxBytes {
      let count = min(stretch, maxSearched - searched)
      let end = try Int64.fetchOne(database.cachedStatement(sql: endSQL), arguments: [conversation, before, count - 1])
      bytes += try Int.fetchOne(database.cachedStatement(sql: bytesSQL), arguments: [conversation, before, end ?? 0]) ?? 0
      rows += try Row.fetchAll(
        database.cachedStatement(sql: searchSQL),
        arguments: [conversation, before, end ?? 0, query, page.fetchLimit - rows.count])
      if rows.count > page.limit { return page.page(of: rows, key: { $0["sequence"] as Int64 }, item: ChatMessage.init) }
      guard let end else { return page.page(rows.map(ChatMessage.init), goingOnBehind: Int64?.none) }
      (before, searched) = (end, searched + count)
    }
    return page.page(rows.map(ChatMessage.init), goingOnBehind: before)
  }
}
