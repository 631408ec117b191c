import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Sessions: refreshed, ended, listed and closed.
struct SessionHandlers: Sendable {
  let keys: IdentityKeys
  let places: PlaceDatabase

  func refresh(_ input: RefreshSession.Input, _ call: OpenCall) async throws -> RefreshSession.Output {
    guard let token = RefreshToken(input.refreshToken) else { throw RefreshFailure.tokenInvalid }
    // A reuse closes the session in the transaction, so the failure must be thrown after it.
    let given = try await call.write { try Self.refresh(token, call, key: keys.refresh, $0) }.get()
    return try await given.signedIn(keys, places)
  }

  static func logOut(_ input: Empty, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    try logOut(try call.session, of: call.account, call.caller, transaction)
    return Empty()
  }

  func list(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<OwnSession> {
    let (account, current) = (try call.liveAccount(database), try call.session)
    let page = try call.page(input)
    // The other sessions would show a session in doubt by what a login is trusted.
    let sessions = try SessionStore.listLive(
      of: account.id, only: try LoginAlertStore.isInDoubt(current, in: database) ? current : nil,
      before: page.cursor(SessionID.init(text:)),
      limit: page.fetchLimit, now: call.now, in: database)
    return page.page(of: sessions, key: \.id) {
      $0.own(account.language, places, seenAt: $0.id == current ? call.now : nil)
    }
  }

  static func close(_ input: CloseSession.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let account = try call.liveAccount(transaction.database)
    guard try SessionStore.find(input.sessionID, in: transaction.database)?.accountID == account.id else {
      throw Failure(RequestFailure.notFound)
    }
    // To close the session one is in is to log out, which anybody may.
    if try input.sessionID == call.session {
      try logOut(input.sessionID, of: account.id, call.caller, transaction)
    } else {
      guard try !LoginAlertStore.isInDoubt(try call.session, in: transaction.database) else {
        throw Failure(RequestFailure.loginUnanswered)
      }
      try close(input.sessionID, of: account.id, call.caller, transaction)
    }
    return Empty()
  }

  static func check(_ input: CheckSessions.Input, _ call: OpenCall, _ database: Database) throws -> CheckSessions.Output {
    CheckSessions.Output(
      states: try input.sessionIDs.map { id in
        guard let session = try SessionStore.find(id, in: database),
          try SessionStore.isLive(id, of: session.accountID, now: call.now, in: database)
        else { return .ended }
        return try LoginAlertStore.isInDoubt(id, in: database) ? .inDoubt : .live
      })
  }

  static func closeOthers(
    _ input: Empty, _ call: AccountCall, _ transaction: Transaction
  ) throws -> CloseOtherSessions.Output {
    let (account, current) = (try call.liveAccount(transaction.database), try call.session)
    let others = try SessionStore.revokeAll(of: account.id, except: current, .closedByOwner, transaction)
    for session in others {
      try SecurityEventStore.record(
        SecurityEvent(.sessionClosed, account: account.id, session: session), from: call.caller, transaction)
    }
    return CloseOtherSessions.Output(closedCount: others.count)
  }

  /// Ends the session because whoever is in it wants to leave.
  static func logOut(_ session: SessionID, of account: AccountID, _ caller: Caller, _ transaction: Transaction) throws {
    guard try SessionStore.revoke(session, of: account, .loggedOut, transaction) else { return }
    try SecurityEventStore.record(SecurityEvent(.loggedOut, account: account, session: session), from: caller, transaction)
  }

  /// Exchanges a token, or closes its session if that was done before.
  private static func refresh(
    _ token: RefreshToken, _ call: OpenCall, key: SecretKey, _ transaction: Transaction
  ) throws -> Result<GivenTokens, RefreshFailure> {
    let found = try SessionStore.findToken(token.hash, in: transaction.database)
    guard let found, let account = try AccountStore.find(found.session.accountID, in: transaction.database) else {
      return .failure(.tokenInvalid)
    }
    switch RefreshRules.validate(found.presented, now: transaction.now) {
    case .rotate:
      return .success(
        try SessionStore.given(
          try SessionStore.rotate(token, found.session, call.caller, key: key, transaction), found.session.id, account,
          at: transaction.now, transaction))
    case .repeated(let instant):
      // There is none where the key has changed since.
      guard let successor = found.successor(of: token, key: key) else { return .failure(.tokenInvalid) }
      return .success(try SessionStore.given(successor, found.session.id, account, at: instant, transaction))
    case .reused:
      try SessionStore.revoke(found.session.id, of: account.id, .refreshTokenReused, transaction)
      try SecurityEventStore.record(
        SecurityEvent(.refreshTokenReused, account: account.id, session: found.session.id), from: call.caller, transaction)
      try IncidentDetection.detectReuse(account.id, call.caller, transaction)
      return .failure(.tokenReused)
    case .expired: return .failure(.tokenExpired)
    case .invalid: return .failure(.tokenInvalid)
    }
  }

  /// Ends a session because its owner wants it to, and records who asked.
  private static func close(_ session: SessionID, of account: AccountID, _ caller: Caller, _ transaction: Transaction) throws {
    guard try SessionStore.revoke(session, of: account, .closedByOwner, transaction) else { return }
    try SecurityEventStore.record(SecurityEvent(.sessionClosed, account: account, session: session), from: caller, transaction)
  }
}
