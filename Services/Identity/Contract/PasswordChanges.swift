public import Operations

/// Marks ids of password changes.
public enum PasswordChange {}
/// One change of a password.
public typealias PasswordChangeID = ID<PasswordChange>

/// An account has another password; its owner is to be told by mail.
public struct PasswordChanged: Event, Hashable {
  public var changeID: PasswordChangeID
  public var accountID: AccountID

  public init(changeID: PasswordChangeID, accountID: AccountID) {
    self.changeID = changeID
    self.accountID = accountID
  }

  public static let notes: Notes = ["changeID": "Names the change.", "accountID": "Whose password it is."]

  public static let spec = EventSpec(
    "passwords.changed", by: .identity, requirements: ["ID-8", "ID-9"], "An account has another password.")
}

/// Gives the notifications service the addressee of a mail, at the moment of writing it: no other service keeps addresses.
public enum ReadAddressee: Operation {
  public struct Input: Document, Hashable {
    public var accountID: AccountID

    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "Whom the mail is for."]
  }

  public struct Output: Document, Hashable {
    public var email: EmailAddress
    public var username: Username
    public var language: Language

    public init(email: EmailAddress, username: Username, language: Language) {
      self.email = email
      self.username = username
      self.language = language
    }

    public static let notes: Notes = [
      "email": "Where to send it.", "username": "Whom to greet.", "language": "In which language.",
    ]
  }

  public static let spec = OperationSpec(
    "accounts.addressee", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["NOT-6"], "Where a mail to an account goes, and in which language.")
}
