public import Operations

/// Why a session of an account without a password may not do what asks others for their password.
public enum FreshLoginFailure: String, FailureCode {
  /// The session began longer ago than ``FreshLogin/seconds``: the owner logs in at the provider again, and repeats the call in that
  /// session.
  case required = "fresh_login_required"

  public var status: Int { 403 }
}

/// A recent login at an external provider, which proves the owner's identity as the current password does elsewhere. The provider decides
/// whether it asks the person for anything.
public enum FreshLogin {
  /// How long a login counts as fresh.
  public static let seconds = 600
}
