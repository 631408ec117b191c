public import Operations
public import SocialContract

extension FeatureContract {
  static let directory = FeatureContract(operations: [SearchDirectory.self])
}

/// The text of a directory search, a part of a username or nickname: 2 to 30 characters, without spaces at the ends.
///
/// It has no wildcards: `%` and `*` are searched for literally.
public struct DirectoryQuery: TextValue {
  public static let length = 2...30

  public let description: String

  public init(text: String) throws(FieldRule) {
    let trimmed = text.trimmed
    guard trimmed.count >= DirectoryQuery.length.lowerBound else { throw DirectoryQuery.tooShort }
    if let rule = ShortText.brokenLength(trimmed, maximum: DirectoryQuery.length.upperBound) { throw rule }
    description = trimmed
  }

  private init(unchecked text: String) { description = text }

  /// The rule that too little to look for breaks.
  public static let tooShort = FieldRule("too_short", ["min": .number(length.lowerBound)])

  public static let placeholder = DirectoryQuery(unchecked: "--")
  public static let schema: JSON = ["type": "string", "minLength": 2, "maxLength": 30, "examples": ["muñoz"]]
}

/// An account in the directory, with its relation to the searcher: a waiting request can be answered from there (SOC-7).
public struct DirectoryEntry: Document, Hashable {
  public var accountID: AccountID
  public var username: Username
  public var nickname: Nickname?
  public var photoURL: PhotoURL?
  public var relation: Relation

  public init(
    accountID: AccountID, username: Username, nickname: Nickname?, photoURL: PhotoURL? = nil, relation: Relation = Relation()
  ) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.relation = relation
  }

  public static let notes: Notes = [
    "accountID": "The account.", "username": "Its unique name, as friend requests take it.",
    "nickname": "Its display name, if it has a nickname.", "photoURL": "Its photo, if it has one.",
    "relation": "The relation between the caller and it.",
  ]
}

/// Finds other accounts by a part of their username or nickname, or lists them, each once and to the end. Only those appear that want to
/// and are verified, and neither of two accounts appears to the other once one has blocked the other.
public enum SearchDirectory: AccountOperation {
  public struct Input: ListInput, Hashable {
    public var query: DirectoryQuery?
    public var limit: Int?
    public var cursor: PageCursor?

    public init(query: DirectoryQuery? = nil, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.query = query
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes([
      "query": "A part of the username or nickname, in any case and with or without accents; absent for everyone who is listed."
    ])
  }

  /// Names that begin with the text come first, then names with a word that begins with it, then the rest; within each group sorted by the
  /// text that follows.
  public typealias Output = Page<DirectoryEntry>

  public static let spec = OperationSpec(
    "directory.search", of: .identity, .get("/v1/directory"), by: .account, effect: .read, rate: .search,
    requirements: ["ID-14", "SOC-7", "SOC-8"],
    "Lists the other accounts that want to be found, or those of them with a given part in username or nickname.")
}
