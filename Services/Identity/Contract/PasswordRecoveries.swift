public import Operations

extension FeatureContract {
  static let passwordRecoveries = FeatureContract(
    operations: [RequestPasswordRecovery.self, CompletePasswordRecovery.self, GetRecoverySecret.self],
    events: [PasswordRecoveryRequested.self])
}

/// Marks ids of requests to recover a password.
public enum PasswordRecovery {}
/// One request to recover a password, and its mailed link.
public typealias PasswordRecoveryID = ID<PasswordRecovery>

/// Requests a link that replaces a forgotten password; older links stop working.
///
/// The answer and its duration are the same whether or not an account has the address, so that neither reveals who has an account.
public enum RequestPasswordRecovery: OpenOperation {
  public struct Input: Form, Hashable {
    public var email: FormField<EmailAddress>
    public var found = FoundProblems()

    public init(email: FormField<EmailAddress>) { self.email = email }

    private enum CodingKeys: String, CodingKey {
      case email
    }

    public static let notes: Notes = ["email": "The account's e-mail address."]
  }

  public struct Output: Document, Hashable {
    public var email: EmailAddress
    public var linkLifetimeSeconds: Int

    public init(email: EmailAddress, linkLifetimeSeconds: Int) {
      self.email = email
      self.linkLifetimeSeconds = linkLifetimeSeconds
    }

    public static let notes: Notes = [
      "email": "The address as given. If an account has it, a link was sent there, a few times an hour at most.",
      "linkLifetimeSeconds": Note("The time for which such a link works, in seconds.", example: 1800),
    ]
  }

  public static let spec = OperationSpec(
    "passwordRecoveries.request", of: .identity, .post("/v1/password-recoveries"), by: .anyone, effect: .create,
    rate: .sensitive, takesIdempotencyKey: true, requirements: ["ID-8"],
    "Requests a mail with a link that replaces a forgotten password.")
}

/// Why a link recovers no password.
public enum RecoveryFailure: String, FailureCode {
  /// No such link was ever sent, or it is damaged.
  case linkInvalid = "recovery_link_invalid"
  /// More than 30 minutes old.
  case linkExpired = "recovery_link_expired"
  /// A newer link was sent, or the password was changed since.
  case linkReplaced = "recovery_link_replaced"
  /// It works once.
  case linkUsed = "recovery_link_used"

  public var status: Int {
    switch self {
    case .linkInvalid: 404
    case .linkExpired, .linkReplaced, .linkUsed: 410
    }
  }
}

/// Chooses a new password by the token of the mailed link. Every session of the account ends, and a mail reports it. Its personal access
/// tokens are revoked, its login failures are cleared, and its address, which the link has reached, is verified.
public enum CompletePasswordRecovery: OpenOperation {
  public struct Input: Form, Hashable {
    public var token: String
    public var password: FormField<Password>
    public var passwordConfirmation: FormField<Password>
    public var found = FoundProblems()

    public init(token: String, password: FormField<Password>, passwordConfirmation: FormField<Password>) {
      self.token = token
      self.password = password
      self.passwordConfirmation = passwordConfirmation
    }

    private enum CodingKeys: String, CodingKey {
      case token, password, passwordConfirmation
    }

    public static let notes: Notes = [
      "token": Note("The mailed link's token.", length: 1...200),
      "password":
        "8 to 256 characters with an upper-case and a lower-case letter, a digit and a special character; no common password.",
      "passwordConfirmation": "The same password again.",
    ]
  }

  public struct Output: Document, Hashable {
    public var username: Username

    public init(username: Username) { self.username = username }

    public static let notes: Notes = ["username": "The account's username: log in with it and the new password."]
  }

  public static let spec = OperationSpec(
    "passwordRecoveries.complete", of: .identity, .post("/v1/password-recoveries/complete"), by: .anyone, effect: .write,
    rate: .sensitive, failures: RecoveryFailure.allCases.map(\.kind) + [RequestFailure.accountSuspended.kind],
    requirements: ["ID-8", "ID-20", "SOC-8"],
    "Sets a new password, by the mailed link's token; all sessions end.")
}

/// A recovery was asked for. The link's secret is not published: see ``GetRecoverySecret``.
public struct PasswordRecoveryRequested: Event, Hashable {
  public var recoveryID: PasswordRecoveryID
  public var accountID: AccountID?

  public init(recoveryID: PasswordRecoveryID, accountID: AccountID?) {
    self.recoveryID = recoveryID
    self.accountID = accountID
  }

  public static let notes: Notes = [
    "recoveryID": "Id of the request and its link.",
    "accountID": "The account to recover; absent if none has the address, and then no mail is sent.",
  ]

  public static let spec = EventSpec(
    "passwordRecoveries.requested", by: .identity, requirements: ["ID-8"], "Somebody asked to recover a password.")
}

/// Gives the notifications service the current data for a recovery mail; compare ``GetVerificationSecret``.
public enum GetRecoverySecret: OpenOperation {
  public struct Input: Document, Hashable {
    public var recoveryID: PasswordRecoveryID

    public init(recoveryID: PasswordRecoveryID) { self.recoveryID = recoveryID }

    public static let notes: Notes = ["recoveryID": "The request, as the event named it."]
  }

  public typealias Output = GetVerificationSecret.Output

  public static let spec = OperationSpec(
    "passwordRecoveries.getSecret", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-8", "NOT-6"],
    "Returns the token and addressee of a recovery mail; `not_found` for a link that no longer works.")
}
