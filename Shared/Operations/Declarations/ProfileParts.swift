/// An operation by which a service adds a part to the page of a public profile (TASK-6).
///
/// A service takes part by declaring such an operation in its contract, for the gateway only, and serving it. The gateway calls each one
/// that it finds in the contracts, in their order, and leaves out those that do not answer.
///
///     public enum GetTaskProfilePart: ProfilePartOperation {
///       public typealias Input = ProfilePartInput
///       public typealias Output = ProfilePart
///
///       public static let spec = OperationSpec(
///         "taskLinks.getProfilePart", of: .social, nil, by: .services([.gateway]), effect: .read, requirements: ["TASK-6"],
///         "Say what the page of a public profile shows of an account's tasks.")
///     }
public protocol ProfilePartOperation: OpenOperation where Input == ProfilePartInput, Output == ProfilePart {}

/// The account whose public profile is shown, and the reader's language.
public struct ProfilePartInput: Document, Hashable {
  /// The account of the profile.
  public var accountID: AccountID
  /// The reader's language.
  public var language: Language

  /// The input from its parts.
  public init(accountID: AccountID, language: Language) {
    self.accountID = accountID
    self.language = language
  }

  public static let notes: Notes = ["accountID": "The account whose public profile it is.", "language": "The reader's language."]
}

/// What a service adds to the page of a public profile: only what the account has chosen to show to everybody (TASK-6).
public struct ProfilePart: Document, Hashable {
  /// One line of the part.
  public struct Item: Document, Hashable {
    /// The text of the line.
    public var text: String
    /// More about it, such as a date.
    public var detail: String?
    /// The path of a page about it, relative to the gateway's address.
    public var page: String?

    /// The item from its parts.
    public init(text: String, detail: String? = nil, page: String? = nil) {
      self.text = text
      self.detail = detail
      self.page = page
    }

    public static let schemaName = "ProfilePartItem"

    public static let notes: Notes = [
      "text": "What it is.", "detail": "A detail, such as a date.",
      "page": Note("The path of a page about it, on this server.", example: "/task/AZrk…"),
    ]
  }

  /// The heading of the part, in the reader's language.
  public var heading: String
  /// The lines; a part without lines is left out.
  public var items: [Item]

  /// The part from its heading and its items.
  public init(heading: String, items: [Item]) {
    self.heading = heading
    self.items = items
  }

  public static let notes: Notes = [
    "heading": "The heading, in the reader's language.", "items": "Its lines; a part without any is left out.",
  ]
}
