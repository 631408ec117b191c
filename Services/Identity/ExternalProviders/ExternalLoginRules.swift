import IdentityContract
import Operations

/// What a proven identity leads to (requirement ID-10).
enum ExternalLoginRules {
  enum LogIn: Hashable, Sendable {
    case begin(AccountID)
    /// - Parameter isVerified: whether the e-mail address needs no link of its own.
    case create(isVerified: Bool)
    case refuse(ExternalLoginFailure)
  }

  /// Decides where a login leads.
  ///
  /// A provider's e-mail address that belongs to an account does not log in to that account, verified or not: the owner logs in as before
  /// and then links the identity. So a provider can admit only people whom the owner has admitted.
  ///
  /// - Parameters:
  ///   - linked: the account that the identity is linked to.
  ///   - email: what the provider supplies, if it can be an address here.
  ///   - isTaken: whether an account has that address.
  static func logIn(linked: AccountID?, email: EmailAddress?, isEmailVerified: Bool, isTaken: Bool) -> LogIn {
    if let linked { return .begin(linked) }
    guard email != nil else { return .refuse(.emailMissing) }
    return isTaken ? .refuse(.accountExists) : .create(isVerified: isEmailVerified)
  }

  enum Link: Hashable, Sendable {
    case link
    case alreadyLinked
    case refuse(IdentityFailure)
  }

  /// Whether an account may be linked to an identity.
  ///
  /// - Parameters:
  ///   - linked: the account that the identity is linked to.
  ///   - hasOther: whether the account is linked to an identity of the same provider.
  static func link(_ account: AccountID, linked: AccountID?, hasOther: Bool) -> Link {
    if let linked { return linked == account ? .alreadyLinked : .refuse(.linkedElsewhere) }
    return hasOther ? .refuse(.providerLinkedAlready) : .link
  }

  /// Whether the account can be logged in to without one of its identities.
  static func mayUnlink(hasPassword: Bool, identities: Int) -> Bool { hasPassword || identities > 1 }

  /// Whether the identities end when the password is recovered. Whoever knew the password, or took the e-mail address before its owner
  /// proved it, may have linked one of their own to stay.
  static func endWithRecovery(hadPassword: Bool, wasVerified: Bool) -> Bool { hadPassword || !wasVerified }
}
