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

  /// Read receipts, and how much each has sent.
  static func receiptMigration(_ number: Int) -> Migration {
    Migration(number, "read receipts and bytes of conversations") { database in
      try database.execute(
        sql: """
          -- How far the other account may know that this one has read: while both gave read receipts.
          ALTER TABLE conversation_sides ADD COLUMN receipt_sequence INTEGER NOT NULL DEFAULT 0;
          -- The bytes of the texts and photos that the account has sent here and that still exist.
          ALTER TABLE conversation_sides ADD COLUMN sent_bytes INTEGER NOT NULL DEFAULT 0 CHECK (sent_bytes >= 0);
          UPDATE conversation_sides SET sent_bytes = (
            SELECT coalesce(sum(length(CAST(m.text AS BLOB))), 0) FROM messages m
            WHERE m.conversation_id = conversation_sides.conversation_id AND m.from_account = conversation_sides.account_id);
          """)
    }
  }

  static func find(_ account: AccountID, _ other: AccountID, in database: Database) throws -> ID<Conversation>? {
    try side(account, other, in: database)?.conversation
  }

  /// A conversation as one of its two has it.
  struct Side: Sendable {
    let conversation: ID<Conversation>
    let lastSequence: Int64
    let readSequence: Int64
    let unreadCount: Int
  }

  static func side(_ account: AccountID, _ other: AccountID, in database: Database) throws -> Side? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT conversation_id, last_sequence, read_sequence, unread_count FROM conversation_sides
        WHERE account_id = ? AND other_account = ?
        """)
    return try Row.fetchOne(statement, arguments: [account, other]).map {
      Side(
        conversation: $0["conversation_id"], lastSequence: $0["last_sequence"], readSequence: $0["read_sequence"],
        unreadCount: $0["unread_count"])
    }
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

  /// Moves both sides to a new message of so many bytes, which the reader has not read.
  static func moved(
    to sequence: Int64, writer: AccountID, reader: AccountID, bytes: Int, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    try database.run(
      """
      UPDATE conversation_sides SET last_sequence = ?, sent_bytes = sent_bytes + ? WHERE account_id = ? AND other_account = ?
      """, .integer(sequence), .number(bytes), .id(writer), .id(reader))
    try database.run(
      """
      UPDATE conversation_sides SET last_sequence = ?, unread_count = unread_count + 1 WHERE account_id = ? AND other_account = ?
      """, .integer(sequence), .id(reader), .id(writer))
  }

  /// Counts bytes that come to what an account has sent another, or go from it.
  static func addBytes(_ bytes: Int, of writer: AccountID, to reader: AccountID, in database: Database) throws {
    try database.cachedStatement(
      sql: "UPDATE conversation_sides SET sent_bytes = sent_bytes + ? WHERE account_id = ? AND other_account = ?"
    ).execute(arguments: [bytes, writer, reader])
  }

  /// The reader has one less to read where it had not read that message.
  static func lowerUnread(
    of reader: AccountID, from writer: AccountID, by sequence: Int64, in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        UPDATE conversation_sides SET unread_count = unread_count - 1
        WHERE account_id = ? AND other_account = ? AND read_sequence < ? AND unread_count > 0
        """
    ).execute(arguments: [reader, writer, sequence])
  }

  /// The reader has one more to read where it had not read that message.
  static func raiseUnread(
    of reader: AccountID, from writer: AccountID, by sequence: Int64, in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        UPDATE conversation_sides SET unread_count = unread_count + 1
        WHERE account_id = ? AND other_account = ? AND read_sequence < ?
        """
    ).execute(arguments: [reader, writer, sequence])
  }

  /// The effect of reading.
  struct Reading: Sendable {
    let conversation: ID<Conversation>
    let unreadCount: Int
    /// Whether the account had not read as far before.
    let isFarther: Bool
  }

  /// Notes how far an account has read; nil if that message is not in the conversation. What was removed is not to be read.
  ///
  /// - Parameter givesReceipt: whether the other may know.
  static func markRead(
    _ account: AccountID, _ other: AccountID, upTo message: ID<ChatMessage>, givesReceipt: Bool, _ transaction: Transaction
  ) throws -> Reading? {
    let database = transaction.database
    guard let side = try side(account, other, in: database) else { return nil }
    let found = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT sequence FROM messages WHERE message_id = ? AND conversation_id = ?"),
      arguments: [message, side.conversation])
    guard let sequence = found else { return nil }
    guard sequence > side.readSequence else {
      return Reading(conversation: side.conversation, unreadCount: side.unreadCount, isFarther: false)
    }
    let left = try unreadCount(of: side, from: other, after: sequence, in: database)
    try database.run(
      """
      UPDATE conversation_sides SET read_sequence = ?1, receipt_sequence = iif(?2, ?1, receipt_sequence), unread_count = ?3
      WHERE account_id = ?4 AND other_account = ?5
      """, .integer(sequence), .truth(givesReceipt), .number(left), .id(account), .id(other))
    return Reading(conversation: side.conversation, unreadCount: left, isFarther: true)
  }

  /// How many messages are unread once the account has read up to one that it had not read: of those that it reads now and those that are
  /// left the fewer are counted. Which are fewer shows by counting more and more of both.
  static func unreadCount(
    of side: Side, from writer: AccountID, after sequence: Int64, in database: Database
  ) throws -> Int {
    guard sequence < side.lastSequence else { return 0 }
    var limit = firstCounted
    while true {
      let read = try unread(side.readSequence + 1...sequence, of: side.conversation, from: writer, limit: limit, in: database)
      if let read { return max(0, side.unreadCount - read) }
      let left = try unread(sequence + 1...side.lastSequence, of: side.conversation, from: writer, limit: limit, in: database)
      if let left { return left }
      limit *= 4
    }
  }

  /// More than most clients show on a page.
  private static let firstCounted = 128

  /// How many of a conversation's messages in a range are a writer's and not removed; nil where there are `limit` messages or more.
  private static func unread(
    _ sequences: ClosedRange<Int64>, of conversation: ID<Conversation>, from writer: AccountID, limit: Int, in database: Database
  ) throws -> Int? {
    let found = try database.first(
      """
      SELECT count(*), count(*) FILTER (WHERE from_account = ? AND removed_at IS NULL) FROM (
        SELECT from_account, removed_at FROM messages WHERE conversation_id = ? AND sequence BETWEEN ? AND ?
        ORDER BY sequence LIMIT ?)
      """, .id(writer), .id(conversation), .integer(sequences.lowerBound), .integer(sequences.upperBound), .number(limit)
    ) { (all: $0.number(0), unread: $0.number(1)) }
    return found.flatMap { $0.all < limit ? $0.unread : nil }
  }

  /// A page of an account's conversations.
  static let listSQL = """
    SELECT side.conversation_id, side.last_sequence, iif(a.account_id IS NULL, 0, side.unread_count) AS unread_count, side.other_account,
      \(ShownPersonStore.columns(for: "side.account_id")), a.account_id, \(MessageStore.columns(of: "m")),
      a.account_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM friendships f WHERE f.low_account = min(side.account_id, side.other_account)
          AND f.high_account = max(side.account_id, side.other_account)) AS is_friend,
      a.gives_read_receipts AND own.gives_read_receipts AS have_receipts,
      (SELECT r.message_id FROM conversation_sides o JOIN messages r ON r.sequence = o.receipt_sequence
        WHERE o.account_id = side.other_account AND o.other_account = side.account_id) AS read_message_id
    FROM conversation_sides side
    -- A deleted account has no name any more, nor has one that has blocked the account.
    LEFT JOIN accounts a ON a.account_id = side.other_account
    LEFT JOIN accounts own ON own.account_id = side.account_id
    JOIN messages m ON m.sequence = side.last_sequence
    WHERE side.account_id = :account AND side.last_sequence < :before AND \(MessageStore.isThere("m"))
    ORDER BY side.last_sequence DESC LIMIT :limit
    """

  /// An account's conversations, those with the newest messages first.
  static func list(of account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<Conversation> {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: listSQL),
      arguments: ["account": account, "before": page.before, "limit": page.fetchLimit])
    return page.page(of: rows, key: { $0["last_sequence"] as Int64 }) { row in
      let isFriend: Bool = row["is_friend"]
      let hasReceipt = isFriend && (row["have_receipts"] as Bool?) == true
      return Conversation(
        id: row["conversation_id"], accountID: row["other_account"], username: row["username"], nickname: row["nickname"],
        photoURL: row.photoURL(of: "account_id"), isFriend: isFriend, lastMessage: ChatMessage(row),
        unreadCount: row["unread_count"], otherReadMessageID: hasReceipt ? row["read_message_id"] : nil)
    }
  }
}
