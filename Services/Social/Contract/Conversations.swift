public import Operations

extension FeatureContract {
  static let conversations = FeatureContract(
    operations: [ListConversations.self, MarkConversationRead.self], events: [ConversationRead.self])
}

/// All that two accounts have written each other, as one of them sees it (SOC-5).
///
/// There is one conversation for each two accounts, so clients address it by the other's account.
public struct Conversation: Document, Hashable {
  public var id: ID<Conversation>
  public var accountID: AccountID
  public var username: Username?
  public var nickname: String?
  public var photoURL: PhotoURL?
  public var isFriend: Bool
  public var lastMessage: ChatMessage
  public var unreadCount: Int
  public var otherReadMessageID: ID<ChatMessage>?

  public init(
    id: ID<Conversation>, accountID: AccountID, username: Username?, nickname: String?, photoURL: PhotoURL? = nil, isFriend: Bool,
    lastMessage: ChatMessage, unreadCount: Int, otherReadMessageID: ID<ChatMessage>? = nil
  ) {
    self.id = id
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.isFriend = isFriend
    self.lastMessage = lastMessage
    self.unreadCount = unreadCount
    self.otherReadMessageID = otherReadMessageID
  }

  public static let notes: Notes = [
    "id": "Id of the conversation.", "accountID": "The other account.",
    "username": "Its username; absent if that account is no longer found.",
    "nickname": "Its nickname, if it has one.", "photoURL": "Its photo, if it has one.",
    "isFriend": "Whether the two are still friends, so that more messages can be sent.",
    "lastMessage": "The newest message, even if it was removed; messages of a deleted account no longer exist.",
    "unreadCount": "The number of unread messages of the other account.",
    "otherReadMessageID":
      "The newest message that the other account has read; absent unless both give read receipts (`settings.update`) and are friends.",
  ]
}

/// An account's conversations, those with the newest messages first (SOC-5).
public enum ListConversations: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Conversation>

  public static let spec = OperationSpec(
    "conversations.list", of: .social, .get("/v1/conversations"), by: .account, effect: .read,
    requirements: ["SOC-5"],
    "Lists the caller's conversations with their last message and unread count, newest first.")
}

/// Marks a conversation as read up to a message (SOC-5); the friend sees this where both give read receipts. An older message changes
/// nothing.
public enum MarkConversationRead: AccountOperation {
  public struct Input: Document {
    public var accountID: AccountID
    public var messageID: ID<ChatMessage>

    public init(accountID: AccountID, messageID: ID<ChatMessage>) {
      self.accountID = accountID
      self.messageID = messageID
    }

    public static let notes: Notes = [
      "accountID": "The other account.", "messageID": "The newest message seen; it and all before it are read.",
    ]
  }

  public struct Output: Document, Hashable {
    public var unreadCount: Int

    public init(unreadCount: Int) { self.unreadCount = unreadCount }

    public static let notes: Notes = ["unreadCount": "The number of messages of the other account that are still unread."]
  }

  public static let spec = OperationSpec(
    "conversations.markRead", of: .social, .post("/v1/conversations/{accountID}/read"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-5"],
    "Marks a conversation as read up to a message, and the notifications of these messages too.")
}

// MARK: - Events

/// A conversation was read up to a message: one event for the reader's other devices, and one for the writer where both give read receipts.
public struct ConversationRead: Event, Hashable {
  /// The recipient of the event: the reader, for its other devices, or the friend who wrote.
  public var accountID: AccountID
  public var otherAccountID: AccountID
  public var conversationID: ID<Conversation>
  public var readerAccountID: AccountID
  public var messageID: ID<ChatMessage>
  public var at: Instant

  public init(
    accountID: AccountID, otherAccountID: AccountID, conversationID: ID<Conversation>, readerAccountID: AccountID,
    messageID: ID<ChatMessage>, at: Instant
  ) {
    self.accountID = accountID
    self.otherAccountID = otherAccountID
    self.conversationID = conversationID
    self.readerAccountID = readerAccountID
    self.messageID = messageID
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account that receives the event: the reader, for its other devices, or the friend who wrote.",
    "otherAccountID": "The other account of the conversation.", "conversationID": "The conversation.",
    "readerAccountID": "The account that has read.", "messageID": "The newest message that was read.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "conversations.read", by: .social, isLive: true, requirements: ["SOC-5"], "A conversation was read up to a message.")
}
