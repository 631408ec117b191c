public import Operations

extension FeatureContract {
  static let securityMails = FeatureContract(operations: [GetSecurityMail.self])
}

/// The content of a mail to an administrator.
public struct SecurityMail: Document, Hashable {
  public var email: EmailAddress
  public var username: Username
  public var language: Language
  public var title: String
  public var lines: [String]
  public var recommendations: [String]

  public init(
    email: EmailAddress, username: Username, language: Language, title: String, lines: [String], recommendations: [String]
  ) {
    self.email = email
    self.username = username
    self.language = language
    self.title = title
    self.lines = lines
    self.recommendations = recommendations
  }

  public static let notes: Notes = [
    "email": "The address to send it to.", "username": "The name for the salutation.",
    "language": "The language in which it is written.",
    "title": "What it is about.", "lines": "What happened, a line for each fact.", "recommendations": "What to do about it.",
  ]
}

/// Names what one administrator is notified of by mail.
public typealias SecurityMailID = ID<SecurityMail>

/// Gives the notifications service a mail to an administrator, about an incident or with a report, at the moment of sending it.
public enum GetSecurityMail: OpenOperation {
  public struct Input: Document, Hashable {
    public var mailID: SecurityMailID

    public init(mailID: SecurityMailID) { self.mailID = mailID }

    public static let notes: Notes = ["mailID": "The mail, as the event named it."]
  }

  public typealias Output = SecurityMail

  public static let spec = OperationSpec(
    "securityMails.getContent", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-15", "NOT-6"],
    "Returns the content of a mail to an administrator; `not_found` if the account is no longer an administrator.")
}
