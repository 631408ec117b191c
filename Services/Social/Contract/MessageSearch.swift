public import Operations

extension FeatureContract {
  static let messageSearch = FeatureContract(operations: [SearchMessages.self])
}

/// What is looked for in messages: 1 to 100 characters, not only white space.
public struct MessageQuery: TextValue {
  public static let maxCharacters = 100

  /// Without white space around it.
  public let description: String

  public init(text: String) throws(FieldRule) {
    let trimmed = text.trimmed
    guard !trimmed.isEmpty else { throw FieldRule("empty") }
    if let rule = ShortText.brokenLength(trimmed, maximum: Self.maxCharacters) { throw rule }
    description = trimmed
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = MessageQuery(trusted: "-")
  public static let schema: JSON = ["type": "string", "minLength": 1, "maxLength": .integer(maxCharacters), "examples": ["café"]]
}

/// Finds the messages of a conversation that contain a text, newest first, regardless of case and accents (SOC-5).
///
/// A page searches a bounded number of messages, so that it takes no longer in a long conversation: it may have fewer than `limit` items,
/// or even none, and still a `nextCursor`.
public enum SearchMessages: AccountOperation {
  public struct Input: ListInput {
    public var accountID: AccountID
    public var query: MessageQuery
    public var limit: Int?
    public var cursor: PageCursor?

    public init(accountID: AccountID, query: MessageQuery, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.accountID = accountID
      self.query = query
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes([
      "accountID": "The other account.", "query": "A part of a message's text; case and accents make no difference.",
    ])
  }

  public typealias Output = Page<ChatMessage>

  public static let spec = OperationSpec(
    "messages.search", of: .social, .get("/v1/conversations/{accountID}/messages/search"), by: .account, effect: .read,
    rate: .search,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-5"], "Searches the messages of a conversation, newest first.")
}
