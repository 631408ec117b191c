import GRDB
import NotificationsContract
import Operations
import SocialContract
import Storage

/// The conversations whose notifications are being marked as read: social publishes up to which message (SOC-5).
///
/// A conversation stays here until each of its notifications up to that message is marked: an account with thousands of them delays no one
/// else.
enum ReadConversationStore {
  /// What is more is read by steps of a worker.
  static let rowsAtOnce = 200

  /// The conversation that a row of `notifications` leads to.
  private static let conversation = "json_extract(content, '$.links.conversationID')"

  static func migration(_ number: Int) -> Migration {
    Migration(number, "notifications of read conversations") { database in
      try database.execute(
        sql: """
          CREATE INDEX notifications_of_conversation ON notifications (account_id, \(conversation), number)
            WHERE category = 'messages' AND read_at IS NULL AND deleted_at IS NULL;
          -- Conversations whose notifications up to a number were read at that time, though some are not marked yet.
          CREATE TABLE read_conversations (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            conversation_id BLOB NOT NULL CHECK (length(conversation_id) = 16),
            through INTEGER NOT NULL CHECK (through > 0),
            read_at INTEGER NOT NULL,
            PRIMARY KEY (account_id, conversation_id)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// Begins to mark an account's notifications of a conversation as read, up to a message.
  ///
  /// - Returns: whether some are not marked yet.
  static func begin(
    _ conversation: ID<Conversation>, upTo message: ID<ChatMessage>, of account: AccountID, _ transaction: Transaction
  ) throws -> Bool {
    let database = transaction.database
    let sources = SourceRange(through: message)
    try DeliveryStore.endRead(sources, in: ID(linking: conversation), of: account, transaction)
    // Of a message of one's own there is no notification, and of an old one there may be none any more: then the last before it counts.
    let through = try database.first(
      "SELECT number FROM notifications WHERE account_id = ? AND source >= ? AND source < ? ORDER BY source DESC LIMIT 1",
      .id(account), .text(sources.start), .text(sources.end)
    ) { $0.number(0) }
    guard let through else { return false }
    let count = try markRead(conversation, through: through, of: account, at: transaction.now, limit: rowsAtOnce, transaction)
    guard count == rowsAtOnce else { return false }
    try database.run(
      """
      INSERT INTO read_conversations (account_id, conversation_id, through, read_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (account_id, conversation_id) DO UPDATE SET through = excluded.through, read_at = excluded.read_at
      WHERE excluded.through > read_conversations.through
      """, .id(account), .id(conversation), .number(through), .instant(transaction.now))
    return true
  }

  /// Marks some more as read; with the last one of a conversation, its row is deleted.
  ///
  /// - Parameter limit: the most at once.
  static func settle(_ account: AccountID, limit: Int, _ transaction: Transaction) throws {
    let database = transaction.database
    let found = try database.first(
      "SELECT conversation_id, through, read_at FROM read_conversations WHERE account_id = ? LIMIT 1", .id(account)
    ) { (conversation: try $0.id(0) as ID<Conversation>, through: $0.number(1), readAt: $0.instant(2)) }
    guard let found else { return }
    let count = try markRead(
      found.conversation, through: found.through, of: account, at: found.readAt, limit: limit, transaction)
    guard count < limit else { return }
    try database.run(
      "DELETE FROM read_conversations WHERE account_id = ? AND conversation_id = ?", .id(account), .id(found.conversation))
  }

  /// Marks the newest as read, which may be held yet, and counts them as opened then.
  ///
  /// - Returns: how many.
  private static func markRead(
    _ conversation: ID<Conversation>, through number: Int, of account: AccountID, at instant: Instant, limit: Int,
    _ transaction: Transaction
  ) throws -> Int {
    let database = transaction.database
    let statement = try database.cachedStatement(
      sql: """
        UPDATE notifications SET read_at = ? WHERE notification_id IN (
          SELECT notification_id FROM notifications INDEXED BY notifications_of_conversation
          WHERE account_id = ? AND \(Self.conversation) = ? AND number > ? AND number <= ?
            AND category = 'messages' AND read_at IS NULL AND deleted_at IS NULL
          ORDER BY number DESC LIMIT ?)
        RETURNING kind
        """)
    let kinds = try String.fetchAll(
      statement,
      arguments: [
        instant, account, conversation.description, try ReadMarkStore.through(of: account, in: database), number, limit,
      ])
    for (kind, rows) in Dictionary(grouping: kinds, by: { $0 }) {
      try DeliveryStore.count(.inbox, kind, "opened", reason: nil, by: rows.count, at: instant, transaction)
    }
    return kinds.count
  }
}

extension SourceRange {
  /// Those of messages up to one, whose ids sort as they were sent.
  fileprivate init(through message: ID<ChatMessage>) {
    let name = MessageSent.spec.originalName
    self.init(start: "\(name)/", end: SourceRange(only: "\(name)/\(message)").end)
  }
}
