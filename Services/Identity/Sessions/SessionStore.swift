import Foundation
import GRDB
import IdentityContract
import Operations
import Storage

/// A session as it is kept.
struct SessionRecord: Sendable {
  let id: SessionID
  let accountID: AccountID
  let device: String?
  let createdAt: Instant
  let expiresAt: Instant
  let revokedAt: Instant?

  init(_ row: Row) {
    id = row["session_id"]
    accountID = row["account_id"]
    device = row["device"]
    createdAt = row["created_at"]
    expiresAt = row["expires_at"]
    revokedAt = row["revoked_at"]
  }

  /// What its owner sees.
  var own: OwnSession { OwnSession(id: id, device: device, createdAt: createdAt, expiresAt: expiresAt) }
}

/// A refresh token as it is kept, and what the rule judges.
struct RefreshTokenRecord: Sendable {
  let session: SessionRecord
  let presented: PresentedToken
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

  /// The token of that hash.
  func refreshToken(_ hash: Data) throws -> RefreshTokenRecord? {
    let statement = try cachedStatement(
      sql: """
        SELECT token.session_id, token.expires_at, token.used_at, successor.used_at AS successor_used_at
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
        isSessionOver: session.revokedAt != nil))
  }
}

extension Transaction {
  /// Begins a session with the first token of its family.
  func beginSession(of account: AccountRecord, device: String?, _ caller: Caller) throws -> GivenTokens {
    let id = SessionID()
    let token = RefreshToken()
    let expiresAt = now.adding(seconds: RefreshRule.lifetimeSeconds)
    try database.cachedStatement(
      sql: """
        INSERT INTO sessions (session_id, account_id, device, address, user_agent, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, account.id, device, caller.address.map { String($0.prefix(64)) }, caller.userAgent.map { String($0.prefix(256)) }, now,
      expiresAt,
    ])
    try insert(token, of: id, parent: nil, expiresAt: expiresAt)
    return try given(token, id, account, at: now)
  }

  /// Exchanges the token for its successor and keeps the session for as long again.
  func rotate(_ token: RefreshToken, _ session: SessionRecord, key: SecretKey) throws -> RefreshToken {
    let expiresAt = now.adding(seconds: RefreshRule.lifetimeSeconds)
    let successor = token.successor(key: key)
    try database.cachedStatement(sql: "UPDATE refresh_tokens SET used_at = ? WHERE token_hash = ?").execute(arguments: [
      now, token.hash,
    ])
    try insert(successor, of: session.id, parent: token, expiresAt: expiresAt)
    try database.cachedStatement(sql: "UPDATE sessions SET expires_at = ? WHERE session_id = ?")
      .execute(arguments: [expiresAt, session.id])
    // A token that is past its time is of no use to anybody, not even as a sign of theft.
    try database.cachedStatement(sql: "DELETE FROM refresh_tokens WHERE session_id = ? AND expires_at <= ?")
      .execute(arguments: [session.id, now])
    return successor
  }

  /// Begins the session's family of tokens anew: none that was given out before is good any longer.
  func renewTokens(of session: SessionID, _ account: AccountRecord) throws -> GivenTokens {
    let token = RefreshToken()
    let expiresAt = now.adding(seconds: RefreshRule.lifetimeSeconds)
    try database.cachedStatement(sql: "DELETE FROM refresh_tokens WHERE session_id = ?").execute(arguments: [session])
    try insert(token, of: session, parent: nil, expiresAt: expiresAt)
    try database.cachedStatement(sql: "UPDATE sessions SET expires_at = ? WHERE session_id = ?")
      .execute(arguments: [expiresAt, session])
    return try given(token, session, account, at: now)
  }

  /// Ends the session and tells all services, unless it has ended before.
  func revoke(_ session: SessionID, of account: AccountID, _ reason: SessionRevoked.Reason) throws {
    try database.cachedStatement(
      sql: """
        UPDATE sessions SET revoked_at = ?, revocation_reason = ?
        WHERE session_id = ? AND account_id = ? AND revoked_at IS NULL
        """
    ).execute(arguments: [now, reason, session, account])
    guard database.changesCount > 0 else { return }
    try tell(SessionRevoked(sessionID: session, accountID: account, reason: reason, at: now))
  }

  /// What the client of the session is given.
  func given(_ token: RefreshToken, _ id: SessionID, _ account: AccountRecord, at: Instant) throws -> GivenTokens {
    guard let session = try database.session(id) else { throw Failure(RequestFailure.notFound) }
    return GivenTokens(account: account, session: session, refreshToken: token, givenAt: at)
  }

  private func insert(_ token: RefreshToken, of session: SessionID, parent: RefreshToken?, expiresAt: Instant) throws {
    try database.cachedStatement(
      sql: "INSERT INTO refresh_tokens (token_hash, session_id, parent_hash, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [token.hash, session, parent?.hash, now, expiresAt])
  }
}
