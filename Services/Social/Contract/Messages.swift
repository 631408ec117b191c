public import Operations

/// What one friend wrote to another, as it is now (SOC-4).
///
/// It has a text, a photo or both; one that was removed has neither and keeps its position in the conversation.
public struct ChatMessage: Document, Hashable {
  public var id: ID<ChatMessage>
  public var fromAccountID: AccountID
  public var text: ChatText
  public var sentAt: Instant

  public init(id: ID<ChatMessage>, fromAccountID: AccountID, text: ChatText, sentAt: Instant) {
    self.id = id
    self.fromAccountID = fromAccountID
    self.text = text
    self.sentAt = sentAt
  }

  public static let notes: Notes = [
    "id": "Names the message.", "fromAccountID": "Who wrote it.", "text": "What was written.", "sentAt": "When it was sent.",
  ]
}

/// What a message says: 1 to 2,000 characters as people count them, not only white space, line breaks allowed, at most 16 KiB. It may turn
/// the writing direction, as texts of several languages do.
public struct ChatText: TextValue {
  public static let maxCharacters = 2000
  /// A character can be made of any number of code points; this bounds what a message weighs.
  public static let maxBytes = 16_384

  public let description: String

  public init(text: String) throws(FieldRule) {
    guard !text.isBlank else { throw FieldRule("empty") }
    if let rule = ShortText.brokenLength(text, maximum: Self.maxCharacters, maxBytes: Self.maxBytes) { throw rule }
    let hasControl = text.unicodeScalars.contains { scalar in
      scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\r" && scalar != "\t"
    }
    if hasControl { throw FieldRule("control_character") }
    description = text
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = ChatText(trusted: "…")

  /// JSON Schema counts code points where people count characters, so only the outer bound can be said there.
  public static let schema: JSON = [
    "type": "string", "minLength": 1, "maxLength": .integer(maxBytes), "examples": ["See you at seven!"],
  ]
}

/// Why a message cannot be sent, edited or removed.
public enum MessageFailure: String, FailureCode {
  case notFriends = "not_friends"

  public var status: Int { 403 }
}

/// Writes to a friend (SOC-4). Repeated with its idempotency key, it is sent once.
public enum SendMessage: AccountOperation {
  public struct Input: Document {
    public var accountID: AccountID
    public var text: ChatText

    public init(accountID: AccountID, text: ChatText) {
      self.accountID = accountID
      self.text = text
    }

    public static let notes: Notes = [
      "accountID": "The friend's account.", "text": "What to say: 1 to 2,000 characters, line breaks allowed.",
    ]
  }

  public typealias Output = ChatMessage

  public static let spec = OperationSpec(
    "messages.send", of: .social, .post("/v1/conversations/{accountID}/messages"), by: .verifiedAccount, effect: .create,
    failures: [MessageFailure.notFriends.kind], requirements: ["SOC-4"], "Send a message to a friend.")
}

/// The messages exchanged with another account, newest first (SOC-5).
public enum ListMessages: AccountOperation {
  public struct Input: ListInput {
    public var accountID: AccountID
    public var limit: Int?
    public var cursor: PageCursor?

    public init(accountID: AccountID, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.accountID = accountID
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["accountID": "The other's account."])
  }

  public typealias Output = Page<ChatMessage>

  public static let spec = OperationSpec(
    "conversations.messages", of: .social, .get("/v1/conversations/{accountID}/messages"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-5"], "List the messages of a conversation, newest first.")
}

// MARK: - Events

/// A message was sent to a friend.
public struct MessageSent: Event, Hashable {
  public var messageID: ID<ChatMessage>
  public var conversationID: ID<Conversation>
  public var fromAccountID: AccountID
  public var fromUsername: Username
  public var toAccountID: AccountID
  public var text: ChatText
  public var at: Instant

  public init(
    messageID: ID<ChatMessage>, conversationID: ID<Conversation>, fromAccountID: AccountID, fromUsername: Username,
    toAccountID: AccountID, text: ChatText, at: Instant
  ) {
    self.messageID = messageID
    self.conversationID = conversationID
    self.fromAccountID = fromAccountID
    self.fromUsername = fromUsername
    self.toAccountID = toAccountID
    self.text = text
    self.at = at
  }

  public static let notes: Notes = [
    "messageID": "The message.", "conversationID": "The conversation it belongs to.", "fromAccountID": "Who wrote it.",
    "fromUsername": "The writer's username then.", "toAccountID": "Whom it is for.", "text": "What was written.", "at": "When.",
  ]

  public static let spec = EventSpec("messages.sent", by: .social, requirements: ["SOC-4"], "A message was sent to a friend.")
}
