import IdentityContract
import Operations

/// What a caller was let in by: what is revoked when it is to be let in no more.
enum Credential: Hashable, Sendable {
  case session(SessionID)
  case personalAccessToken(PersonalAccessTokenID)
}

/// What a personal access token must allow for a call. Sessions may do everything.
enum ScopeRule: Hashable, Sendable {
  case needs(AccessScope)
  /// Only sessions may call.
  case sessionsOnly
  /// Every token will do, as it gives nothing by itself.
  case none

  init(_ operation: OperationSpec) { self = AccessScope(for: operation).map { .needs($0) } ?? .sessionsOnly }

  /// The scope that was missing.
  var failure: Failure {
    guard case .needs(let scope) = self else { return Failure(RequestFailure.insufficientScope) }
    return Failure(RequestFailure.insufficientScope, ["scope": .text(scope.rawValue)])
  }
}
