public import Operations

extension FeatureContract {
  static let deadEmails = FeatureContract(operations: [ListDeadEmails.self, RetryDeadEmail.self])
}

/// Marks ids of mails.
public enum Mail {}

/// A mail that was given up (NOT-6): neither its addressee's address nor its text is kept.
public struct DeadEmail: Document, Hashable {
  public var id: ID<Mail>
  public var kind: String
  public var accountID: AccountID
  /// `connection`, `authentication`, `rejected_<reply>`, …
  public var failure: String
  public var explanation: String
  public var attempts: Int
  public var createdAt: Instant
  public var givenUpAt: Instant

  public init(
    id: ID<Mail>, kind: String, accountID: AccountID, failure: String, explanation: String, attempts: Int, createdAt: Instant,
    givenUpAt: Instant
  ) {
    self.id = id
    self.kind = kind
    self.accountID = accountID
    self.failure = failure
    self.explanation = explanation
    self.attempts = attempts
    self.createdAt = createdAt
    self.givenUpAt = givenUpAt
  }

  public static let notes: Notes = [
    "id": "The mail.", "kind": Note("The kind of mail.", example: "verification"), "accountID": "The account that it is about.",
    "failure": Note("Stable name of the failure of the last attempt.", example: "rejected_550"),
    "explanation": "The same in words, in the caller's language.", "attempts": "The number of attempts.",
    "createdAt": "When the event that it is about happened.", "givenUpAt": "When it was given up.",
  ]
}

/// The mails that were given up, newest first (NOT-6).
public enum ListDeadEmails: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<DeadEmail>

  public static let spec = OperationSpec(
    "deadEmails.list", of: .notifications, .get("/v1/dead-emails"), by: .administrator, effect: .read, requirements: ["NOT-6"],
    "Lists the mails that could not be delivered and were given up, newest first.")
}

/// Puts a dead mail back into the queue, with all its attempts again (NOT-6).
///
/// A mail whose link has expired is not sent, since it no longer has a purpose.
public enum RetryDeadEmail: AccountOperation {
  public struct Input: Document {
    public var deadEmailID: ID<Mail>

    public init(deadEmailID: ID<Mail>) { self.deadEmailID = deadEmailID }

    public static let notes: Notes = ["deadEmailID": "The mail."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "deadEmails.retry", of: .notifications, .post("/v1/dead-emails/{deadEmailID}/retry"), by: .administrator, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["NOT-6"],
    "Sends a mail that was given up again, with as many attempts as a new one.")
}
