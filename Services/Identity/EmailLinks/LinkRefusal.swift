import IdentityContract
import Operations

/// Why a mailed link was refused, and what is recorded about it.
struct LinkRefusal: Sendable {
  let kind: SecurityEvent.Kind
  let failure: Failure
  /// Whose link it is, if it is one.
  let account: AccountID?
  /// Whether nobody was sent it.
  let isGuess: Bool

  /// - Parameter account: nil where the link has no account.
  init(_ kind: SecurityEvent.Kind, _ failure: some FailureCode, _ account: AccountID?) {
    self.init(kind, Failure(failure), account)
  }

  init(_ kind: SecurityEvent.Kind, _ failure: Failure, _ account: AccountID?) {
    self.kind = kind
    self.failure = failure
    self.account = account
    isGuess = account == nil
  }
}
