public import Operations

extension FeatureContract {
  static let messages = FeatureContract(
    operations: [ListMessages.self, SendMessage.self, EditMessage.self, RemoveMessage.self],
    events: [MessageSent.self, MessageEdited.self, MessageRemoved.self])
}

/// A message between two friends in its current state (SOC-4).
///
/// It has a text, a photo or both; a removed one has neither and keeps its position in the conversation.
public struct ChatMessage: Document, Hashable {
  public var id: ID<ChatMessage>
  public var fromAccountID: AccountID
  /// Absent where there is a photo alone, and when the message was removed.
  public var text: ChatText?
  /// Absent without one, and when the message was removed.
  public var photo: MessagePhoto?
  public var sentAt: Instant
  /// When its text was changed last; absent while it is as it was sent.
  public var editedAt: Instant?
  /// Absent while it is there.
  public var removedAt: Instant?

  public init(
    id: ID<ChatMessage>, fromAccountID: AccountID, text: ChatText?, photo: MessagePhoto? = nil, sentAt: Instant,
    editedAt: Instant? = nil, removedAt: Instant? = nil
  ) {
    self.id = id
    self.fromAccountID = fromAccountID
    self.text = text
    self.photo = photo
    self.sentAt = sentAt
    self.editedAt = editedAt
    self.removedAt = removedAt
  }

  public static let notes: Notes = [
    "id": "Id of the message.", "fromAccountID": "The account that wrote it.",
    "text": "The text; absent for a photo without text, and if the message was removed.",
    "photo": "Its photo, if it has one.", "sentAt": "When it was sent.",
    "editedAt": "When its text was last changed; absent if it never was.",
    "removedAt": "When it was removed; absent if it was not.",
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
    try LongText.check(text, maxCharacters: Self.maxCharacters, maxBytes: Self.maxBytes)
    description = text
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = ChatText(trusted: "…")

  public static let schema = LongText.schema(maxBytes: maxBytes, example: "See you at seven!")
}

/// Why a message cannot be sent, edited or removed.
public enum MessageFailure: String, FailureCode {
  case notFriends = "not_friends"
  /// It was sent longer ago than ``MessageChange/seconds``.
  case tooOld = "message_too_old"
  /// It was removed, so that there is nothing to edit.
  case removed = "message_removed"
  /// The account's messages and photos are as many bytes as one may have.
  case spaceFull = "message_space_full"

  public var status: Int {
    switch self {
    case .notFriends: 403
    case .tooOld, .removed, .spaceFull: 409
    }
  }

  /// Those of sending, whatever is sent.
  static let ofSending = [notFriends.kind, spaceFull.kind]
}

/// Changes of a message by its writer.
public enum MessageChange {
  /// How long after it was sent a message can be edited and removed.
  public static let seconds = 15 * 60
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
      "accountID": "The friend's account.", "text": "The text: 1 to 2,000 characters, line breaks allowed.",
    ]
  }

  public typealias Output = ChatMessage

  public static let spec = OperationSpec(
    "messages.send", of: .social, .post("/v1/conversations/{accountID}/messages"), by: .verifiedAccount, effect: .create,
    failures: MessageFailure.ofSending, requirements: ["SOC-4"], "Sends a message to a friend.")
}

/// Changes the text of the caller's own message, within ``MessageChange/seconds`` after it was sent and while the two are friends (SOC-4).
///
/// The message is marked as edited. An unchanged text changes nothing.
public enum EditMessage: AccountOperation {
  public struct Input: Document {
    public var messageID: ID<ChatMessage>
    public var text: Patch<ChatText>

    public init(messageID: ID<ChatMessage>, text: ChatText) {
      self.messageID = messageID
      self.text = .set(text)
    }

    public static let notes: Notes = [
      "messageID": "The message.", "text": Note("The new text: 1 to 2,000 characters, line breaks allowed."),
    ]
  }

  public typealias Output = ChatMessage

  public static let spec = OperationSpec(
    "messages.edit", of: .social, .patch("/v1/messages/{messageID}"), by: .verifiedAccount, effect: .write,
    failures: [RequestFailure.notFound.kind, MessageFailure.tooOld.kind, MessageFailure.removed.kind] + MessageFailure.ofSending,
    requirements: ["SOC-4"], "Changes the text of the caller's own message, within 15 minutes.")
}

/// Removes the caller's own message for both, text and photo, within ``MessageChange/seconds`` after it was sent, even if the two are no
/// longer friends (SOC-4). A placeholder stays. Removing it again changes nothing.
public enum RemoveMessage: AccountOperation {
  public struct Input: Document {
    public var messageID: ID<ChatMessage>

    public init(messageID: ID<ChatMessage>) { self.messageID = messageID }

    public static let notes: Notes = ["messageID": "The message."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "messages.remove", of: .social, .delete("/v1/messages/{messageID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind, MessageFailure.tooOld.kind], requirements: ["SOC-4"],
    "Removes the caller's own message, within 15 minutes.")
}

/// A page of the messages of a conversation, with what its screen shows beside them (SOC-5).
public struct ConversationMessages: Document, Hashable {
  public var items: [ChatMessage]
  public var nextCursor: PageCursor?
  public var accountID: AccountID
  public var username: Username?
  public var nickname: String?
  public var photoURL: PhotoURL?
  public var isFriend: Bool
  public var unreadCount: Int
  public var otherReadMessageID: ID<ChatMessage>?

  public init(
    items: [ChatMessage], nextCursor: PageCursor?, accountID: AccountID, username: Username?, nickname: String?,
    photoURL: PhotoURL?, isFriend: Bool, unreadCount: Int, otherReadMessageID: ID<ChatMessage>?
  ) {
    self.items = items
    self.nextCursor = nextCursor
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.isFriend = isFriend
    self.unreadCount = unreadCount
    self.otherReadMessageID = otherReadMessageID
  }

  public static let notes: Notes = [
    "items": "The page's messages.", "nextCursor": "The `cursor` for the next page; absent on the last.",
    "accountID": "The other account.", "username": "Its username; absent if that account is no longer found.",
    "nickname": "Its nickname, if it has one.", "photoURL": "Its photo, if it has one.",
    "isFriend": "Whether the two are friends, so that more messages can be sent.",
    "unreadCount": "The number of unread messages of the other account.",
    "otherReadMessageID":
      "The newest message that the other account has read; absent unless both give read receipts (`settings.update`) and are friends.",
  ]
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

    public static let notes = listNotes(["accountID": "The other account."])
  }

  public typealias Output = ConversationMessages

  public static let spec = OperationSpec(
    "messages.list", of: .social, .get("/v1/conversations/{accountID}/messages"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-5"], "Lists the messages of a conversation, newest first.")
}

// MARK: - Events

/// A message was sent to a friend.
public struct MessageSent: Event, Hashable {
  public var messageID: ID<ChatMessage>
  public var conversationID: ID<Conversation>
  public var fromAccountID: AccountID
  public var fromUsername: Username
  public var toAccountID: AccountID
  /// Absent where a photo alone was sent.
  public var text: ChatText?
  public var at: Instant

  public init(
    messageID: ID<ChatMessage>, conversationID: ID<Conversation>, fromAccountID: AccountID, fromUsername: Username,
    toAccountID: AccountID, text: ChatText?, at: Instant
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
    "messageID": "The message.", "conversationID": "The conversation it belongs to.",
    "fromAccountID": "The account that wrote it.",
    "fromUsername": "The writer's username at that time.", "toAccountID": "The account that it is addressed to.",
    "text": "The text; absent for a photo without text.", "at": "When it happened.",
  ]

  public static let spec = EventSpec("messages.sent", by: .social, requirements: ["SOC-4"], "A message was sent to a friend.")
}

/// A message has another text: one event for each of the two.
public struct MessageEdited: Event, Hashable {
  /// For whom the event is: the writer, for its other devices, or the reader.
  public var accountID: AccountID
  public var otherAccountID: AccountID
  public var conversationID: ID<Conversation>
  public var fromUsername: Username
  public var message: ChatMessage
  /// Whether it is delivered to no open connection, since one of the two has blocked the other.
  public var isSilent: Bool?

  public init(
    accountID: AccountID, otherAccountID: AccountID, conversationID: ID<Conversation>, fromUsername: Username,
    message: ChatMessage, isSilent: Bool? = nil
  ) {
    self.accountID = accountID
    self.otherAccountID = otherAccountID
    self.conversationID = conversationID
    self.fromUsername = fromUsername
    self.message = message
    self.isSilent = isSilent
  }

  public static let notes: Notes = [
    "accountID": "The account that receives the event: the writer, for its other devices, or the reader.",
    "otherAccountID": "The other account of the conversation.", "conversationID": "The conversation it belongs to.",
    "fromUsername": "The writer's username at that time.", "message": "The message as it is now.",
    "isSilent": "Whether it is delivered to no open connection because one of the two has blocked the other.",
  ]

  public static let spec = EventSpec(
    "messages.edited", by: .social, isLive: true, requirements: ["SOC-4"], "The text of a message was changed.")
}

/// A message was removed, with its text and its photo: one event for each of the two.
public struct MessageRemoved: Event, Hashable {
  /// For whom the event is: the writer, for its other devices, or the reader.
  public var accountID: AccountID
  public var otherAccountID: AccountID
  public var conversationID: ID<Conversation>
  public var messageID: ID<ChatMessage>
  public var fromAccountID: AccountID
  public var fromUsername: Username
  public var at: Instant
  /// Whether it is delivered to no open connection, since one of the two has blocked the other.
  public var isSilent: Bool?

  public init(
    accountID: AccountID, otherAccountID: AccountID, conversationID: ID<Conversation>, messageID: ID<ChatMessage>,
    fromAccountID: AccountID, fromUsername: Username, at: Instant, isSilent: Bool? = nil
  ) {
    self.accountID = accountID
    self.otherAccountID = otherAccountID
    self.conversationID = conversationID
    self.messageID = messageID
    self.fromAccountID = fromAccountID
    self.fromUsername = fromUsername
    self.at = at
    self.isSilent = isSilent
  }

  public static let notes: Notes = [
    "accountID": "The account that receives the event: the writer, for its other devices, or the reader.",
    "otherAccountID": "The other account of the conversation.", "conversationID": "The conversation it belongs to.",
    "messageID": "The message.", "fromAccountID": "The account that wrote it.",
    "fromUsername": "The writer's username at that time.",
    "at": "When it was removed.",
    "isSilent": "Whether it is delivered to no open connection because one of the two has blocked the other.",
  ]

  public static let spec = EventSpec(
    "messages.removed", by: .social, isLive: true, requirements: ["SOC-4"], "A message was removed.")
}
