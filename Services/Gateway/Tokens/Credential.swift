import IdentityContract
import Operations

/// The credential that admitted a caller, and whose revocation ends the access.
enum Credential: Hashable, Sendable {
  case session(SessionID)
  case personalAccessToken(PersonalAccessTokenID)
}

/// What a personal access token must allow for a call. Sessions may do everything.
enum ScopeRule: Hashable, Sendable {
  case needs(AccessScope)
  /// Only sessions may call.
  case sessionsOnly
  /// Any token may call, since the call reveals nothing.
  case none

  init(_ operation: OperationSpec) { self = AccessScope(for: operation).map { .needs($0) } ?? .sessionsOnly }

  /// The scope that was missing.
  var failure: Failure {
    guard case .needs(let scope) = self else { return Failure(RequestFailure.insufficientScope) }
    return Failure(RequestFailure.insufficientScope, ["scope": .text(scope.rawValue)])
  }
}
