import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves refreshing and ending sessions.
  mutating func serveSessions(keys: IdentityKeys, places: PlaceDatabase) {
    serve(RefreshSession.self) { input, call in
      guard let token = RefreshToken(input.refreshToken) else { throw RefreshFailure.tokenInvalid }
      // A reuse closes the session in the transaction, so the failure must be thrown after it.
      let given = try await call.write { try $0.refresh(token, call, key: keys.refresh) }.get()
      return try await given.signedIn(keys, places)
    }

    serve(
      LogOut.self,
      write: { _, call, transaction in
        try transaction.logOut(try call.session, of: try call.account, call.caller)
        return Empty()
      })
  }
}

extension Transaction {
  /// Ends the session because whoever is in it wants to leave.
  func logOut(_ session: SessionID, of account: AccountID, _ caller: Caller) throws {
    guard try revoke(session, of: account, .loggedOut) else { return }
    try record(SecurityEvent(.loggedOut, account: account, session: session), from: caller)
  }

  /// Exchanges a token, or closes its session if that was done before.
  fileprivate func refresh(_ token: RefreshToken, _ call: Call, key: SecretKey) throws -> Result<GivenTokens, RefreshFailure> {
    let found = try database.refreshToken(token.hash)
    guard let found, let account = try database.account(found.session.accountID) else { return .failure(.tokenInvalid) }
    switch RefreshRule.validate(found.presented, now: now) {
    case .rotate:
      return .success(try given(try rotate(token, found.session, call.caller, key: key), found.session.id, account, at: now))
    case .repeated(let instant):
      // There is none where the key has changed since.
      guard let successor = found.successor(of: token, key: key) else { return .failure(.tokenInvalid) }
      return .success(try given(successor, found.session.id, account, at: instant))
    case .reused:
      try revoke(found.session.id, of: account.id, .refreshTokenReused)
      try record(SecurityEvent(.refreshTokenReused, account: account.id, session: found.session.id), from: call.caller)
      try detectReuse(account.id, call.caller)
      return .failure(.tokenReused)
    case .expired: return .failure(.tokenExpired)
    case .invalid: return .failure(.tokenInvalid)
    }
  }
}
