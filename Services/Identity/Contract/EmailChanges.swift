public import Operations

extension FeatureContract {
  static let emailChanges = FeatureContract(
    operations: [RequestEmailChange.self, CompleteEmailChange.self, GetEmailChangeSecret.self],
    events: [EmailChangeRequested.self, EmailChanged.self])
}

/// Marks ids of changes of an e-mail address.
public enum EmailChange {}
/// One change of an account's e-mail address, and its mailed link.
public typealias EmailChangeID = ID<EmailChange>

/// Why no link to change the address is sent.
public enum RequestEmailChangeFailure: String, FailureCode {
  /// Too many links of the account, or to the address, within an hour.
  case tooManyChanges = "too_many_email_changes"

  public var status: Int { 429 }
}

/// Asks for another e-mail address: a link is mailed there, and only following it changes the account. Older links stop working.
///
/// An address that another account has is answered in the same words, and no mail is sent.
public enum RequestEmailChange: AccountOperation {
  public struct Input: Form, Hashable {
    public var email: FormField<EmailAddress>
    public var currentPassword: FormField<Password>?
    public var found = FoundProblems()

    public init(email: FormField<EmailAddress>, currentPassword: FormField<Password>? = nil) {
      self.email = email
      self.currentPassword = currentPassword
    }

    private enum CodingKeys: String, CodingKey {
      case email, currentPassword
    }

    public static let notes: Notes = [
      "email": "The new address; the link is sent to it.",
      "currentPassword":
        "The account's password; for an account without one, a login with its provider in the last ten minutes is enough.",
    ]
  }

  public struct Output: Document, Hashable {
    public var email: EmailAddress
    public var expiresAt: Instant

    public init(email: EmailAddress, expiresAt: Instant) {
      self.email = email
      self.expiresAt = expiresAt
    }

    public static let notes: Notes = [
      "email": "The address to which the link is sent, unless another account has it.", "expiresAt": "Until when it works.",
    ]
  }

  public static let spec = OperationSpec(
    "emailChanges.request", of: .identity, .post("/v1/accounts/me/email-changes"), by: .account, effect: .create,
    rate: .sensitive,
    failures: RequestEmailChangeFailure.allCases.map(\.kind)
      + [ChangePasswordFailure.wrongPassword.kind, FreshLoginFailure.required.kind, LogInFailure.locked.kind],
    requirements: ["ID-11"],
    "Requests a change of the e-mail address; the link that confirms it is mailed to the new address.")
}

/// Why a link changes no address.
public enum EmailChangeFailure: String, FailureCode {
  /// No such link was ever sent, or it is damaged.
  case linkInvalid = "email_change_link_invalid"
  /// More than 24 hours old.
  case linkExpired = "email_change_link_expired"
  /// A newer link was sent, or the account got another address since.
  case linkReplaced = "email_change_link_replaced"
  /// It was cancelled by the link in the notice to the present address.
  case cancelled = "email_change_cancelled"
  /// It works once.
  case linkUsed = "email_change_link_used"
  /// Another account got the address since the link was sent.
  case addressTaken = "email_change_address_taken"

  public var status: Int {
    switch self {
    case .linkInvalid: 404
    case .addressTaken: 409
    case .linkExpired, .linkReplaced, .cancelled, .linkUsed: 410
    }
  }
}

/// Gives the account its new e-mail address by the token of the mailed link. The address is verified by that.
public enum CompleteEmailChange: OpenOperation {
  public struct Input: Document, Hashable {
    public var token: String

    public init(token: String) { self.token = token }

    public static let notes: Notes = ["token": Note("The mailed link's token.", length: 1...200)]
  }

  public struct Output: Document, Hashable {
    public var username: Username
    public var email: EmailAddress

    public init(username: Username, email: EmailAddress) {
      self.username = username
      self.email = email
    }

    public static let notes: Notes = ["username": "The account's username.", "email": "Its e-mail address from now on."]
  }

  public static let spec = OperationSpec(
    "emailChanges.complete", of: .identity, .post("/v1/email-changes/complete"), by: .anyone, effect: .write, rate: .sensitive,
    failures: EmailChangeFailure.allCases.map(\.kind) + [RequestFailure.accountSuspended.kind],
    requirements: ["ID-11", "SOC-8"],
    "Changes the e-mail address, by the mailed link's token.")
}

/// A link to change an address is to be mailed to it, and a notice to the present one. Their secrets are not published: see
/// ``GetEmailChangeSecret`` and ``GetEmailChangeNotice``.
public struct EmailChangeRequested: Event, Hashable {
  public var changeID: EmailChangeID
  public var accountID: AccountID

  public init(changeID: EmailChangeID, accountID: AccountID) {
    self.changeID = changeID
    self.accountID = accountID
  }

  public static let notes: Notes = [
    "changeID": "Id of the change and its link.", "accountID": "The account whose address it is.",
  ]

  public static let spec = EventSpec(
    "emailChanges.requested", by: .identity, requirements: ["ID-11"], "An account requested a change of its e-mail address.")
}

/// An account has another e-mail address; its owner is to be notified at the former one, with the link that undoes it.
public struct EmailChanged: Event, Hashable {
  public var changeID: EmailChangeID
  public var accountID: AccountID

  public init(changeID: EmailChangeID, accountID: AccountID) {
    self.changeID = changeID
    self.accountID = accountID
  }

  public static let notes: Notes = ["changeID": "Id of the change.", "accountID": "The account whose address it is."]

  public static let spec = EventSpec(
    "emailChanges.completed", by: .identity, requirements: ["ID-11"], "An account changed its e-mail address.")
}

/// Gives the notifications service the current data for the mail with the link; compare ``GetVerificationSecret``.
public enum GetEmailChangeSecret: OpenOperation {
  public struct Input: Document, Hashable {
    public var changeID: EmailChangeID

    public init(changeID: EmailChangeID) { self.changeID = changeID }

    public static let notes: Notes = ["changeID": "The change, as the event named it."]
  }

  public typealias Output = GetVerificationSecret.Output

  public static let spec = OperationSpec(
    "emailChanges.getSecret", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-11", "NOT-6"],
    """
    Returns the token and addressee of a mail that confirms a new address; `not_found` if its link does not work, as where the \
    address is taken.
    """)
}
