import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The conversations: one for each two accounts that ever wrote to each other, with a side for each of the two.
enum ConversationStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "conversations") { database in
      try database.execute(
        sql: """
          CREATE TABLE conversations (
            conversation_id BLOB NOT NULL PRIMARY KEY CHECK (length(conversation_id) = 16),
            low_account BLOB NOT NULL CHECK (length(low_account) = 16),
            high_account BLOB NOT NULL CHECK (length(high_account) = 16),
            UNIQUE (low_account, high_account),
            CHECK (low_account < high_account)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE conversation_sides (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            other_account BLOB NOT NULL CHECK (length(other_account) = 16),
            conversation_id BLOB NOT NULL REFERENCES conversations (conversation_id),
            last_sequence INTEGER NOT NULL,
            read_sequence INTEGER NOT NULL DEFAULT 0,
            unread_count INTEGER NOT NULL DEFAULT 0 CHECK (unread_count >= 0),
            PRIMARY KEY (account_id, other_account)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX conversation_sides_newest ON conversation_sides (account_id, last_sequence);
          """)
    }
  }

  static func find(_ account: AccountID, _ other: AccountID, in database: Database) throws -> ID<Conversation>? {
    let statement = try database.cachedStatement(
      sql: "SELECT conversation_id FROM conversation_sides WHERE account_id = ? AND other_account = ?")
    return try Row.fetchOne(statement, arguments: [account, other]).map { $0["conversation_id"] }
  }

  /// The conversation of two accounts, begun if there is none.
  static func findOrBegin(_ account: AccountID, _ other: AccountID, _ transaction: Transaction) throws -> ID<Conversation> {
    let database = transaction.database
    if let found = try find(account, other, in: database) { return found }
    let id = ID<Conversation>()
    let pair = AccountPair(account, other)
    try database.cachedStatement(
      sql: "INSERT INTO conversations (conversation_id, low_account, high_account) VALUES (?, ?, ?)"
    ).execute(arguments: [id, pair.low, pair.high])
    let side = try database.cachedStatement(
      sql: "INSERT INTO conversation_sides (account_id, other_account, conversation_id, last_sequence) VALUES (?, ?, ?, 0)")
    try side.execute(arguments: [account, other, id])
    try side.execute(arguments: [other, account, id])
    return id
  }

  /// Moves both sides to a new message, which the reader has not read.
  static func moved(to sequence: Int64, writer: AccountID, reader: AccountID, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        UPDATE conversation_sides SET last_sequence = :sequence, unread_count = unread_count + (account_id = :reader)
        WHERE (account_id, other_account) IN (VALUES (:writer, :reader), (:reader, :writer))
        """)
    try statement.execute(arguments: ["sequence": sequence, "writer": writer, "reader": reader])
  }

  /// Notes how far an account has read; nil if that message is not in the conversation. Returns how many it has not read.
  static func markRead(
    _ account: AccountID, _ other: AccountID, upTo message: ID<ChatMessage>, _ transaction: Transaction
  ) throws -> Int? {
    let statement = try transaction.database.cachedStatement(
      sql: """
        UPDATE conversation_sides AS side SET
          read_sequence = max(side.read_sequence, seen.sequence),
          unread_count = (
            SELECT count(*) FROM messages m
            WHERE m.conversation_id = side.conversation_id AND m.sequence > max(side.read_sequence, seen.sequence)
              AND m.from_account = side.other_account)
        FROM (SELECT conversation_id, sequence FROM messages WHERE message_id = :message) AS seen
        WHERE side.account_id = :account AND side.other_account = :other AND side.conversation_id = seen.conversation_id
        RETURNING unread_count
        """)
    return try Int.fetchOne(statement, arguments: ["message": message, "account": account, "other": other])
  }

  /// An account's conversations, those with the newest messages first.
  static func list(of account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<Conversation> {
    let statement = try database.cachedStatement(
      sql: """
        SELECT side.conversation_id, side.last_sequence, side.unread_count, side.other_account, a.username, a.nickname,
          m.message_id, m.from_account, m.text, m.sent_at,
          EXISTS (
            SELECT 1 FROM friendships f WHERE f.low_account = min(side.account_id, side.other_account)
              AND f.high_account = max(side.account_id, side.other_account)) AS is_friend
        FROM conversation_sides side
        -- Who was deleted has no name any more.
        LEFT JOIN accounts a ON a.account_id = side.other_account
        JOIN messages m ON m.sequence = side.last_sequence
        WHERE side.account_id = :account AND side.last_sequence < :before AND \(MessageStore.isThere("m"))
        ORDER BY side.last_sequence DESC LIMIT :limit
        """)
    let rows = try Row.fetchAll(statement, arguments: ["account": account, "before": page.before, "limit": page.fetchLimit])
    return page.page(of: rows, key: { $0["last_sequence"] as Int64 }) { row in
      Conversation(
        id: row["conversation_id"], accountID: row["other_account"], username: row["username"], nickname: row["nickname"],
        isFriend: row["is_friend"], lastMessage: ChatMessage(row), unreadCount: row["unread_count"])
    }
  }
}
