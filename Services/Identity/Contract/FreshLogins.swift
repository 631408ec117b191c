public import Operations

/// Why a session of an account without a password may not do what asks others for their password.
public enum FreshLoginFailure: String, FailureCode {
  /// The session began longer ago than ``FreshLogin/seconds``: its owner logs in at the provider once more, and asks in that session.
  case required = "fresh_login_required"

  public var status: Int { 403 }
}

/// A login at an external provider that shows that it is the owner who asks, as the current password does elsewhere. Whether the provider
/// asks the person for anything then is up to the provider.
public enum FreshLogin {
  /// How long a login counts as fresh.
  public static let seconds = 600
}
