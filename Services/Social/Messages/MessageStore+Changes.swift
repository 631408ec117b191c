import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// A message of the table, as one of the two accounts of its conversation sees it.
struct StoredMessage: Sendable {
  let message: ChatMessage
  let sequence: Int64
  let conversation: ID<Conversation>
  /// The other account of the conversation.
  let other: AccountID
  /// Of its text and its photo.
  let bytes: Int
}

// Sending and later changes: each is published to both accounts of the conversation.
extension MessageStore {
  /// Sends a message and publishes it.
  ///
  /// - Throws: `not_friends`, `message_space_full`.
  static func send(
    _ content: MessageContent, from account: AccountID, to other: AccountID, _ rules: MessageRules, _ transaction: Transaction
  ) throws -> ChatMessage {
    let database = transaction.database
    guard try FriendStore.areFriends(account, other, in: database) else { throw MessageFailure.notFriends }
    try rules.checkSpace(stored: MessageSpaceStore.bytes(of: account, in: database), adding: content.bytes)
    let writer = try Accounts.known(account, in: database)
    let (message, conversation) = try add(content, from: account, to: other, transaction)
    try transaction.publish(
      MessageSent(
        messageID: message.id, conversationID: conversation, fromAccountID: account, fromUsername: writer.username,
        toAccountID: other, text: message.text, at: message.sentAt))
    return message
  }

  /// A message of one of the account's conversations; nil where there is none.
  static func find(_ id: ID<ChatMessage>, for account: AccountID, in database: Database) throws -> StoredMessage? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(columns(of: "m")), m.sequence, m.conversation_id, side.other_account,
          coalesce(length(CAST(m.text AS BLOB)), 0) + coalesce(length(p.content), 0) AS bytes
        FROM messages m
        JOIN conversation_sides side ON side.conversation_id = m.conversation_id AND side.account_id = :account
        LEFT JOIN message_photos p ON p.message_id = m.message_id
        WHERE m.message_id = :message AND \(isThere("m"))
        """)
    return try Row.fetchOne(statement, arguments: ["message": id, "account": account]).map { row in
      StoredMessage(
        message: ChatMessage(row), sequence: row["sequence"], conversation: row["conversation_id"], other: row["other_account"],
        bytes: row["bytes"])
    }
  }

  /// A message that the account wrote.
  ///
  /// - Throws: `not_found` for one that is not there or another's.
  static func sent(_ id: ID<ChatMessage>, by account: AccountID, in database: Database) throws -> StoredMessage {
    guard let found = try find(id, for: account, in: database), found.message.fromAccountID == account else {
      throw Failure(RequestFailure.notFound)
    }
    return found
  }

  /// Gives a message another text, marks it as edited and publishes that.
  static func edit(_ sent: StoredMessage, _ text: ChatText, _ transaction: Transaction) throws -> ChatMessage {
    let database = transaction.database
    try database.cachedStatement(sql: "UPDATE messages SET text = ?, edited_at = ? WHERE sequence = ?")
      .execute(arguments: [text, transaction.now, sent.sequence])
    try MessageSearchStore.keep(text, at: sent.sequence, of: sent.conversation, in: database)
    var message = sent.message
    try ConversationStore.addBytes(
      text.bytes - (message.text?.bytes ?? 0), of: message.fromAccountID, to: sent.other, in: database)
    (message.text, message.editedAt) = (text, transaction.now)
    let writer = try Accounts.known(message.fromAccountID, in: database)
    let isApart = try BlockStore.areApart(message.fromAccountID, sent.other, in: database)
    for event in edited(message, of: sent.conversation, by: writer.username, to: sent.other, isApart: isApart) {
      try transaction.publish(event)
    }
    return message
  }

  /// Takes the photo out of a message and publishes that; one without a text is removed.
  static func removePhoto(from sent: StoredMessage, _ transaction: Transaction) throws {
    guard let text = sent.message.text else { return try remove(sent, transaction) }
    let (database, writer) = (transaction.database, sent.message.fromAccountID)
    try database.cachedStatement(
      sql: "UPDATE messages SET photo_width = NULL, photo_height = NULL, edited_at = ? WHERE sequence = ?"
    ).execute(arguments: [transaction.now, sent.sequence])
    try MessagePhotoStore.remove(from: sent.message.id, in: database)
    try ConversationStore.addBytes(text.bytes - sent.bytes, of: writer, to: sent.other, in: database)
    var message = sent.message
    (message.photo, message.editedAt) = (nil, transaction.now)
    guard try !database.isErased(sent.other) else { return }
    let username = try Accounts.known(writer, in: database).username
    let isApart = try BlockStore.areApart(writer, sent.other, in: database)
    for event in edited(message, of: sent.conversation, by: username, to: sent.other, isApart: isApart) {
      try transaction.publish(event)
    }
  }

  /// Takes text and photo out of a message, marks it as removed and publishes that. The reader has one less to read where it had not read
  /// it.
  static func remove(_ sent: StoredMessage, _ transaction: Transaction) throws {
    let (database, writer) = (transaction.database, sent.message.fromAccountID)
    try database.cachedStatement(
      sql: """
        UPDATE messages SET text = NULL, photo_width = NULL, photo_height = NULL, removed_at = ? WHERE sequence = ?
        """
    ).execute(arguments: [transaction.now, sent.sequence])
    try MessageSearchStore.forget(at: sent.sequence, of: sent.conversation, in: database)
    try MessagePhotoStore.remove(from: sent.message.id, in: database)
    try ConversationStore.addBytes(-sent.bytes, of: writer, to: sent.other, in: database)
    try ConversationStore.lowerUnread(of: sent.other, from: writer, by: sent.sequence, in: database)
    var message = sent.message
    (message.text, message.photo, message.removedAt) = (nil, nil, transaction.now)
    let username = try Accounts.known(writer, in: database).username
    // Of a conversation with a deleted account nobody else is to know.
    guard try !database.isErased(sent.other) else { return }
    let isApart = try BlockStore.areApart(writer, sent.other, in: database)
    let events = removed(
      message, of: sent.conversation, by: username, to: sent.other, at: transaction.now, isApart: isApart)
    for event in events { try transaction.publish(event) }
  }

  /// Restores the text and photo of a removed message, and publishes it. If the recipient had not read it, it counts as unread again.
  static func restore(
    _ removed: StoredMessage, _ content: ReportedContent, _ photo: MediaFile?, _ transaction: Transaction
  ) throws {
    let (database, writer, other) = (transaction.database, removed.message.fromAccountID, removed.other)
    var message = removed.message
    message.removedAt = nil
    message.text = try content.text.map { try ChatText(text: $0) }
    if let photo, let width = content.photoWidth, let height = content.photoHeight {
      message.photo = MessagePhoto(url: MessagePhotoURL(message: message.id), width: width, height: height)
      try MessagePhotoStore.restore(photo, to: message.id, in: database)
    }
    guard message.text != nil || message.photo != nil else { return }
    try database.cachedStatement(
      sql: "UPDATE messages SET text = ?, photo_width = ?, photo_height = ?, removed_at = NULL WHERE sequence = ?"
    ).execute(arguments: [message.text, message.photo?.width, message.photo?.height, removed.sequence])
    if let text = message.text { try MessageSearchStore.keep(text, at: removed.sequence, of: removed.conversation, in: database) }
    let bytes = (message.text?.bytes ?? 0) + (message.photo == nil ? 0 : photo?.content.bytes.count ?? 0)
    try ConversationStore.addBytes(bytes, of: writer, to: other, in: database)
    try ConversationStore.raiseUnread(of: other, from: writer, by: removed.sequence, in: database)
    guard try !database.isErased(other) else { return }
    let username = try Accounts.known(writer, in: database).username
    let isApart = try BlockStore.areApart(writer, other, in: database)
    for event in edited(message, of: removed.conversation, by: username, to: other, isApart: isApart) {
      try transaction.publish(event)
    }
  }

  /// - Parameter isApart: whether one of the two has blocked the other: only the reader's inbox is then updated, and not its connections.
  private static func edited(
    _ message: ChatMessage, of conversation: ID<Conversation>, by username: Username, to reader: AccountID, isApart: Bool
  ) -> [MessageEdited] {
    let writer = message.fromAccountID
    return [(writer, reader), (reader, writer)].map { one, other in
      MessageEdited(
        accountID: one, otherAccountID: other, conversationID: conversation, fromUsername: username, message: message,
        isSilent: isApart && one == reader ? true : nil)
    }
  }

  /// - Parameter isApart: as for an edited one.
  private static func removed(
    _ message: ChatMessage, of conversation: ID<Conversation>, by username: Username, to reader: AccountID, at instant: Instant,
    isApart: Bool
  ) -> [MessageRemoved] {
    let writer = message.fromAccountID
    return [(writer, reader), (reader, writer)].map { one, other in
      MessageRemoved(
        accountID: one, otherAccountID: other, conversationID: conversation, messageID: message.id, fromAccountID: writer,
        fromUsername: username, at: instant, isSilent: isApart && one == reader ? true : nil)
    }
  }

  /// All messages as events, in the order in which they were sent, each as it is now; see `SnapshotParts`. Usernames are those of now.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT m.*, a.username, iif(m.from_account = c.low_account, c.high_account, c.low_account) AS to_account
        FROM messages m JOIN conversations c USING (conversation_id) JOIN accounts a ON a.account_id = m.from_account
        WHERE m.sequence > ? ORDER BY m.sequence LIMIT ?
        """, arguments: [key.flatMap { Int64($0) } ?? 0, SnapshotParts.pageSize])
    let events = rows.flatMap { row -> [any Event] in
      let (message, conversation) = (ChatMessage(row), row["conversation_id"] as ID<Conversation>)
      let (username, reader) = (row["username"] as Username, row["to_account"] as AccountID)
      if let instant = message.removedAt {
        return removed(message, of: conversation, by: username, to: reader, at: instant, isApart: false)
      }
      let sent = MessageSent(
        messageID: message.id, conversationID: conversation, fromAccountID: message.fromAccountID, fromUsername: username,
        toAccountID: reader, text: message.text, at: message.sentAt)
      return [sent] + (message.editedAt == nil ? [] : edited(message, of: conversation, by: username, to: reader, isApart: false))
    }
    return SnapshotParts.page(events, of: rows) { $0["sequence"] as Int64 }
  }
}
