public import Operations

extension FeatureContract {
  static let passwordChanges = FeatureContract(
    operations: [ChangePassword.self, GetAddressee.self], events: [PasswordChanged.self])
}

/// Marks ids of password changes.
public enum PasswordChange {}
/// One change of a password.
public typealias PasswordChangeID = ID<PasswordChange>

/// Why a password is not changed.
public enum ChangePasswordFailure: String, FailureCode {
  /// The current password is another.
  case wrongPassword = "wrong_password"
  /// The account was made by an external login; see `ExternalLogins.swift`.
  case noPassword = "no_password"

  public var status: Int {
    switch self {
    case .wrongPassword: 403
    case .noPassword: 409
    }
  }
}

/// Changes the account's password. The calling session gets new tokens in place of its current ones; every other session ends, every
/// personal access token is revoked unless the caller keeps them, and a mail reports the change. For 30 s, the replaced refresh token
/// yields the new tokens by ``RefreshSession``, and so does a retry with the same idempotency key.
public enum ChangePassword: AccountOperation {
  public struct Input: Form, Hashable {
    public var currentPassword: FormField<Password>
    public var password: FormField<Password>
    public var passwordConfirmation: FormField<Password>
    public var keepsPersonalAccessTokens: Bool?
    public var found = FoundProblems()

    public init(
      currentPassword: FormField<Password>, password: FormField<Password>, passwordConfirmation: FormField<Password>,
      keepsPersonalAccessTokens: Bool? = nil
    ) {
      self.currentPassword = currentPassword
      self.password = password
      self.passwordConfirmation = passwordConfirmation
      self.keepsPersonalAccessTokens = keepsPersonalAccessTokens
    }

    private enum CodingKeys: String, CodingKey {
      case currentPassword, password, passwordConfirmation, keepsPersonalAccessTokens
    }

    public static let notes: Notes = [
      "currentPassword": "The account's present password.",
      "password":
        "8 to 256 characters with an upper-case and a lower-case letter, a digit and a special character; no common password, and not the current one.",
      "passwordConfirmation": "The same password again.",
      "keepsPersonalAccessTokens":
        "Whether the account's personal access tokens stay valid; by default they are revoked, since somebody who knew the password may have created some.",
    ]
  }

  public typealias Output = SignedIn

  public static let spec = OperationSpec(
    "accounts.changePassword", of: .identity, .put("/v1/accounts/me/password"), by: .account, effect: .write, rate: .sensitive,
    failures: ChangePasswordFailure.allCases.map(\.kind) + [LogInFailure.locked.kind],
    requirements: ["ID-9", "ID-20"],
    "Changes the password; the calling session gets new tokens, all others and the personal access tokens end.")
}

/// An account has another password; its owner is to be notified by mail.
public struct PasswordChanged: Event, Hashable {
  public var changeID: PasswordChangeID
  public var accountID: AccountID

  public init(changeID: PasswordChangeID, accountID: AccountID) {
    self.changeID = changeID
    self.accountID = accountID
  }

  public static let notes: Notes = ["changeID": "Id of the change.", "accountID": "The account whose password it is."]

  public static let spec = EventSpec(
    "passwords.changed", by: .identity, requirements: ["ID-8", "ID-9"], "An account changed its password.")
}

/// Gives the notifications service the current addressee of a mail: no other service keeps addresses.
public enum GetAddressee: OpenOperation {
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
      "email": "The address to send it to.", "username": "The name for the salutation.", "language": "The language of the mail.",
    ]
  }

  public static let spec = OperationSpec(
    "accounts.getAddressee", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["NOT-6"], "Returns the address and language of mails to an account.")
}
