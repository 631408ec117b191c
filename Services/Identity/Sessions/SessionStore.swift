import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// A session as it is kept.
struct SessionRecord: Sendable {
  let id: SessionID
  let accountID: AccountID
  /// How its client named its device.
  let device: String?
  let userAgent: String?
  /// Where it logged in.
  let address: String?
  let createdAt: Instant
  /// When it last got tokens. That is written anyway and happens every ten minutes while it is in use, so being seen costs no
  /// request anything.
  let lastSeenAt: Instant
  let lastSeenAddress: String?
  let expiresAt: Instant
  let revokedAt: Instant?
  /// Access tokens of a lower one are no longer valid.
  let tokenGeneration: Int

  init(_ row: Row) {
    id = row["session_id"]
    accountID = row["account_id"]
    device = row["device"]
    userAgent = row["user_agent"]
    address = row["address"]
    lastSeenAt = row["last_seen_at"]
    lastSeenAddress = row["last_seen_address"]
    createdAt = row["created_at"]
    expiresAt = row["expires_at"]
    revokedAt = row["revoked_at"]
    tokenGeneration = row["token_generation"]
  }

  /// What its owner sees.
  ///
  /// - Parameter seenAt: of the calling session, which is being seen; nil for others.
  func own(_ language: Language, _ places: PlaceDatabase, seenAt: Instant?) -> OwnSession {
    OwnSession(
      id: id, device: SessionWords.device(device, userAgent, language),
      program: SessionWords.program(UserAgent(userAgent), language),
      place: SessionWords.place(lastSeenAddress, places, language), createdAt: createdAt, lastSeenAt: seenAt ?? lastSeenAt,
      expiresAt: expiresAt, isCurrent: seenAt != nil)
  }
}

/// A refresh token as it is kept, and what the rule judges.
struct RefreshTokenRecord: Sendable {
  let session: SessionRecord
  let presented: PresentedToken
  /// The hash of the one it was exchanged for or replaced by.
  let successorHash: Data?

  /// The one that it was exchanged for or replaced by; nil if there is none.
  func successor(of token: RefreshToken, key: SecretKey) -> RefreshToken? {
    [token.successor(key: key), RefreshToken.replacing(token.hash, key: key)].first { $0.hash == successorHash }
  }
}

extension Database {
  /// The session of that id.
  func session(_ id: SessionID) throws -> SessionRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM sessions WHERE session_id = ?"), arguments: [id]).map(SessionRecord.init)
  }

  /// Whether the session is the account's and has not ended.
  func isLive(_ id: SessionID, of account: AccountID, now: Instant) throws -> Bool {
    guard let session = try session(id) else { return false }
    return session.accountID == account && session.revokedAt == nil && session.expiresAt > now
  }

  /// The account's sessions that have not ended, the newest login first: ids grow with time.
  ///
  /// - Parameter only: of these the one that is meant; nil for all.
  func liveSessions(
    of account: AccountID, only session: SessionID? = nil, before last: SessionID?, limit: Int, now: Instant
  ) throws -> [SessionRecord] {
    try Row.fetchAll(
      cachedStatement(
        sql: """
          SELECT * FROM sessions
          WHERE account_id = ? AND (?2 IS NULL OR session_id < ?2) AND revoked_at IS NULL AND expires_at > ?3
            AND (?5 IS NULL OR session_id = ?5)
          ORDER BY session_id DESC LIMIT ?4
          """),
      arguments: [account, last, now, limit, session]
    ).map(SessionRecord.init)
  }

  /// The token of that hash.
  func refreshToken(_ hash: Data) throws -> RefreshTokenRecord? {
    let statement = try cachedStatement(
      sql: """
        SELECT token.session_id, token.expires_at, token.used_at, successor.used_at AS successor_used_at,
          successor.token_hash AS successor_hash
        FROM refresh_tokens AS token LEFT JOIN refresh_tokens AS successor ON successor.parent_hash = token.token_hash
        WHERE token.token_hash = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [hash]), let session = try session(row["session_id"]) else {
      return nil
    }
    let successorUsedAt: Instant? = row["successor_used_at"]
    return RefreshTokenRecord(
      session: session,
      presented: PresentedToken(
        expiresAt: row["expires_at"], usedAt: row["used_at"], isSuccessorUsed: successorUsedAt != nil,
        isSessionOver: session.revokedAt != nil),
      successorHash: row["successor_hash"])
  }
}

extension Transaction {
  /// Begins a session with the first token of its family.
  ///
  /// - Parameter alert: about the login it begins with, if that was unlike the account.
  func beginSession(
    of account: AccountRecord, device: DeviceName?, under alert: LoginAlertID? = nil, _ caller: Caller
  ) throws -> GivenTokens {
    let id = SessionID()
    let token = RefreshToken()
    let expiresAt = now.adding(seconds: RefreshRule.lifetimeSeconds)
    try database.cachedStatement(
      sql: """
        INSERT INTO sessions (session_id, account_id, device, address, user_agent, created_at, expires_at, last_seen_at,
          last_seen_address)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6, ?4)
        """
    ).execute(arguments: [
      id, account.id, device?.description, caller.keptAddress,
      caller.keptUserAgent, now, expiresAt,
    ])
    try insert(token, of: id, parent: nil, expiresAt: expiresAt)
    if let alert { try put(id, under: alert) }
    return try given(token, id, account, at: now)
  }

  /// Exchanges the token for its successor, and keeps the session, which was seen by it, for as long again.
  func rotate(_ token: RefreshToken, _ session: SessionRecord, _ caller: Caller, key: SecretKey) throws -> RefreshToken {
    let expiresAt = now.adding(seconds: RefreshRule.lifetimeSeconds)
    let successor = token.successor(key: key)
    try use(token.hash)
    try insert(successor, of: session.id, parent: token.hash, expiresAt: expiresAt)
    try keep(session.id, until: expiresAt, caller)
    // A token that is past its time is of no use to anybody, not even as a sign of theft.
    try database.cachedStatement(sql: "DELETE FROM refresh_tokens WHERE session_id = ? AND expires_at <= ?")
      .execute(arguments: [session.id, now])
    return successor
  }

  /// Gives the calling session other tokens in place of those it has: none that was given out before is good any longer, refresh token or
  /// access token. Its refresh token counts as exchanged, so that a client that lost the answer gets the same by it for a while. Whoever
  /// else holds that token can use it for as long, and is found out as at any refresh: the next of the two to come closes the session.
  func renewTokens(_ call: Call, key: SecretKey) throws -> GivenTokens {
    try renewTokens(of: try call.session, try call.liveAccount(database), call.caller, key: key)
  }

  /// The same for a session of an account.
  func renewTokens(
    of session: SessionID, _ account: AccountRecord, _ caller: Caller, key: SecretKey
  ) throws -> GivenTokens {
    let expiresAt = now.adding(seconds: RefreshRule.lifetimeSeconds)
    let former = try Data.fetchOne(
      database.cachedStatement(sql: "SELECT token_hash FROM refresh_tokens WHERE session_id = ? AND used_at IS NULL"),
      arguments: [session])
    if let former { try use(former) }
    let token = former.map { RefreshToken.replacing($0, key: key) } ?? RefreshToken()
    try insert(token, of: session, parent: former, expiresAt: expiresAt)
    try keep(session, until: expiresAt, caller)
    try outdate(session, of: account.id)
    return try given(token, session, account, at: now)
  }

  /// Lets the token of that hash count as exchanged.
  private func use(_ token: Data) throws {
    try database.cachedStatement(sql: "UPDATE refresh_tokens SET used_at = ? WHERE token_hash = ?").execute(arguments: [
      now, token,
    ])
  }

  /// Keeps a session that got tokens for as long again: it was seen by that.
  private func keep(_ session: SessionID, until expiresAt: Instant, _ caller: Caller) throws {
    try database.cachedStatement(
      sql: "UPDATE sessions SET expires_at = ?, last_seen_at = ?, last_seen_address = ? WHERE session_id = ?"
    ).execute(arguments: [expiresAt, now, caller.keptAddress, session])
  }

  /// Lets the access tokens that the session was given so far count as expired, in every service: what they say is so no longer. This is
  /// done where their end cannot be waited for: an administrator is dismissed, the password is changed, a login in doubt is confirmed.
  func outdate(_ session: SessionID, of account: AccountID) throws {
    let generation = try Int.fetchOne(
      database.cachedStatement(
        sql: """
          UPDATE sessions SET token_generation = token_generation + 1, outdated_at = ?
          WHERE session_id = ? AND account_id = ? AND revoked_at IS NULL RETURNING token_generation
          """),
      arguments: [now, session, account])
    guard let generation else { return }
    try publish(SessionOutdated(sessionID: session, accountID: account, generation: generation, at: now))
  }

  /// The same for each of the account's sessions.
  func outdateSessions(of account: AccountID) throws {
    for session in try database.liveSessions(of: account, before: nil, limit: -1, now: now) {
      try outdate(session.id, of: account)
    }
  }

  /// Ends the account's sessions, each told by an event of its own.
  ///
  /// - Returns: those that it ended.
  @discardableResult
  func revokeSessions(
    of account: AccountID, except kept: SessionID? = nil, _ reason: SessionRevoked.Reason
  ) throws -> [SessionID] {
    let others = try database.liveSessions(of: account, before: nil, limit: -1, now: now).map(\.id).filter { $0 != kept }
    for session in others { try revoke(session, of: account, reason) }
    return others
  }

  /// Ends sessions of an account that is deleted, those seen last first: their access tokens may be good still.
  ///
  /// - Returns: how many.
  func endSessions(ofDeleted account: AccountID, limit: Int) throws -> Int {
    let sessions = try SessionID.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id FROM sessions WHERE account_id = ? AND revoked_at IS NULL AND expires_at > ?
          ORDER BY last_seen_at DESC LIMIT ?
          """),
      arguments: [account, now, limit])
    for session in sessions {
      try revoke(session, of: account, .accountDeleted)
      try database.cachedStatement(
        sql: "INSERT INTO ended_sessions (session_id, account_id, ended_at) VALUES (?, ?, ?)"
      ).execute(arguments: [session, account, now])
    }
    return sessions.count
  }

  /// Ends the session and tells all services, unless it has ended before.
  ///
  /// - Returns: whether it had not.
  @discardableResult
  func revoke(_ session: SessionID, of account: AccountID, _ reason: SessionRevoked.Reason) throws -> Bool {
    try database.cachedStatement(
      sql: """
        UPDATE sessions SET revoked_at = ?, revocation_reason = ?
        WHERE session_id = ? AND account_id = ? AND revoked_at IS NULL
        """
    ).execute(arguments: [now, reason, session, account])
    guard database.changesCount > 0 else { return false }
    if reason != .loggedOut { try forgetDevice(of: session) }
    try publish(SessionRevoked(sessionID: session, accountID: account, reason: reason, at: now))
    return true
  }

  /// What the client of the session is given.
  func given(_ token: RefreshToken, _ id: SessionID, _ account: AccountRecord, at: Instant) throws -> GivenTokens {
    guard let session = try database.session(id) else { throw Failure(RequestFailure.notFound) }
    return GivenTokens(
      account: account, session: session, isInDoubt: try database.isInDoubt(id), refreshToken: token, givenAt: at)
  }

  private func insert(_ token: RefreshToken, of session: SessionID, parent: Data?, expiresAt: Instant) throws {
    try database.cachedStatement(
      sql: "INSERT INTO refresh_tokens (token_hash, session_id, parent_hash, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [token.hash, session, parent, now, expiresAt])
  }
}
