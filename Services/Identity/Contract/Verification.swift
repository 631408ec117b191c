public import Operations

extension FeatureContract {
  static let verification = FeatureContract(
    operations: [VerifyAccount.self, ResendVerification.self, GetVerificationSecret.self],
    events: [VerificationMailRequested.self, AccountVerified.self])
}

/// Marks ids of verification links.
public enum VerificationLink {}
/// One mailed link that verifies an e-mail address.
public typealias VerificationLinkID = ID<VerificationLink>

/// Why a link does not verify.
public enum VerificationFailure: String, FailureCode {
  /// No such link was ever sent, or it is damaged.
  case linkInvalid = "verification_link_invalid"
  /// More than 24 hours old.
  case linkExpired = "verification_link_expired"
  /// A newer link was sent; only the newest works.
  case linkReplaced = "verification_link_replaced"

  public var status: Int {
    switch self {
    case .linkInvalid: 404
    case .linkExpired, .linkReplaced: 410
    }
  }
}

/// Verifies an account's e-mail address by the token of the mailed link. Repeating it is harmless.
public enum VerifyAccount: OpenOperation {
  public struct Input: Document, Hashable {
    public var token: String

    public init(token: String) { self.token = token }

    public static let notes: Notes = ["token": Note("The mailed link's token.", length: 1...200)]
  }

  public struct Output: Document, Hashable {
    public var username: Username
    public var isVerified: Bool

    public init(username: Username, isVerified: Bool) {
      self.username = username
      self.isVerified = isVerified
    }

    public static let notes: Notes = [
      "username": "The account's username.", "isVerified": "Always `true`: the address is verified now.",
    ]
  }

  public static let spec = OperationSpec(
    "accounts.verify", of: .identity, .post("/v1/accounts/verify"), by: .anyone, effect: .write, rate: .sensitive,
    failures: VerificationFailure.allCases.map(\.kind), requirements: ["ID-2"],
    "Verifies an e-mail address, by the mailed link's token.")
}

/// Why no further link is sent.
public enum ResendFailure: String, FailureCode {
  case alreadyVerified = "already_verified"
  /// Too many links within an hour.
  case tooManyLinks = "too_many_verification_emails"

  public var status: Int {
    switch self {
    case .alreadyVerified: 409
    case .tooManyLinks: 429
    }
  }
}

/// Sends a new verification link; older ones stop working.
public enum ResendVerification: AccountOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var email: EmailAddress
    public var expiresAt: Instant

    public init(email: EmailAddress, expiresAt: Instant) {
      self.email = email
      self.expiresAt = expiresAt
    }

    public static let notes: Notes = ["email": "The address to which the link is sent.", "expiresAt": "Until when it works."]
  }

  public static let spec = OperationSpec(
    "accounts.resendVerification", of: .identity, .post("/v1/accounts/me/verification-links"), by: .account, effect: .create,
    rate: .sensitive, inDoubt: .allowed, failures: ResendFailure.allCases.map(\.kind), requirements: ["ID-2"],
    "Sends the verification link again; older links stop working.")
}

/// A verification mail is to be sent. The link's secret is not published: see ``GetVerificationSecret``.
public struct VerificationMailRequested: Event, Hashable {
  /// What made the mail necessary.
  public enum Reason: String, Choice { case registered, askedAgain }

  public var linkID: VerificationLinkID
  public var accountID: AccountID
  public var reason: Reason

  public init(linkID: VerificationLinkID, accountID: AccountID, reason: Reason) {
    self.linkID = linkID
    self.accountID = accountID
    self.reason = reason
  }

  public static let notes: Notes = [
    "linkID": "Id of the link.", "accountID": "The account to verify.",
    "reason": "Whether it is the first one or was requested again.",
  ]

  public static let spec = EventSpec(
    "verificationMails.requested", by: .identity, requirements: ["ID-1", "ID-2"], "A mail with a verification link is to be sent."
  )
}

/// An account's e-mail address was verified, by whichever way: what its open sessions are notified of (S 8, scenario 1).
public struct AccountVerified: Event, Hashable {
  public var accountID: AccountID
  public var at: Instant

  public init(accountID: AccountID, at: Instant) {
    self.accountID = accountID
    self.at = at
  }

  public static let notes: Notes = ["accountID": "The account.", "at": "When it was first verified."]

  public static let spec = EventSpec(
    "accounts.verified", by: .identity, requirements: ["ID-2", "NOT-1"], "An account's e-mail address was verified.")
}

/// Gives the notifications service the current data for a verification mail.
///
/// The token is derived from a key and the link's id each time, so that it is never stored in clear.
public enum GetVerificationSecret: OpenOperation {
  public struct Input: Document, Hashable {
    public var linkID: VerificationLinkID

    public init(linkID: VerificationLinkID) { self.linkID = linkID }

    public static let notes: Notes = ["linkID": "The link, as the event named it."]
  }

  public struct Output: Document, Hashable {
    public var token: String
    public var email: EmailAddress
    public var username: Username
    public var language: Language
    public var expiresAt: Instant

    public init(token: String, email: EmailAddress, username: Username, language: Language, expiresAt: Instant) {
      self.token = token
      self.email = email
      self.username = username
      self.language = language
      self.expiresAt = expiresAt
    }

    public static let notes: Notes = [
      "token": "The link's token. Never log or store it.", "email": "The address to send it to.",
      "username": "The name for the salutation.",
      "language": "The language of the mail.", "expiresAt": "Until when the link works.",
    ]
  }

  public static let spec = OperationSpec(
    "verificationLinks.getSecret", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-2", "NOT-6"],
    "Returns the token and addressee of a verification mail; `not_found` for a link that no longer works.")
}
