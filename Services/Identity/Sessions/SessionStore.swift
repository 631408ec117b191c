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

/// A stored refresh token, and the values that the rules need.
struct RefreshTokenRecord: Sendable {
  let session: SessionRecord
  let presented: PresentedToken
  /// The hash of the one it was exchanged for or replaced by.
  let successorHash: Data?

  /// The token that it was exchanged for or replaced by; nil if there is none.
  func successor(of token: RefreshToken, key: SecretKey) -> RefreshToken? {
    [token.successor(key: key), RefreshToken.replacing(token.hash, key: key)].first { $0.hash == successorHash }
  }
}

/// Sessions, and the families of their refresh tokens.
enum SessionStore {
  /// So many of a deleted account's sessions end in the transaction of the deletion, those seen last; others' writes wait for it.
  static let maxEndedAtOnce = 50
  /// Those that ended are kept long enough for the snapshot, and for repeated refreshes to learn why they fail.
  static let keptSeconds = 7 * 86_400

  /// Those revoked so lately that access tokens of theirs may not have expired yet, as events; see `SnapshotParts`.
  ///
  /// What was revoked is found by when it was: in the order of their ids, all sessions that there are would be read for the few.
  static func revokedSnapshot(_ database: Database, after key: String?, now: Instant) throws -> SnapshotParts.Page {
    let last = try RevocationPosition(key, now: now)
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id, account_id, revocation_reason, revoked_at FROM sessions INDEXED BY sessions_by_revocation
          WHERE revoked_at >= :at AND (revoked_at > :at OR session_id > :id)
          UNION ALL
          SELECT session_id, account_id, :deleted, ended_at FROM ended_sessions AS ended INDEXED BY ended_sessions_by_end
          WHERE ended_at >= :at AND (ended_at > :at OR session_id > :id)
            -- Those that wait for the erasure of their account are among the former.
            AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.session_id = ended.session_id)
          ORDER BY revoked_at, session_id LIMIT :limit
          """),
      arguments: [
        "at": last.at, "id": last.id, "limit": SnapshotParts.pageSize, "deleted": SessionRevoked.Reason.accountDeleted,
      ])
    let events = rows.map { row in
      SessionRevoked(
        sessionID: row["session_id"], accountID: row["account_id"], reason: row["revocation_reason"], at: row["revoked_at"])
    }
    return SnapshotParts.page(events, of: events) { RevocationPosition.key($0.at, $0.sessionID) }
  }

  /// Those whose tokens were invalidated as lately.
  static func invalidatedSnapshot(_ database: Database, after key: String?, now: Instant) throws -> SnapshotParts.Page {
    let last = try RevocationPosition(key, now: now)
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id, account_id, token_generation, outdated_at FROM sessions INDEXED BY sessions_by_outdating
          WHERE outdated_at >= :at AND (outdated_at > :at OR session_id > :id) AND revoked_at IS NULL
          ORDER BY outdated_at, session_id LIMIT :limit
          """),
      arguments: ["at": last.at, "id": last.id, "limit": SnapshotParts.pageSize])
    let events = rows.map { row in
      AccessTokensInvalidated(
        sessionID: row["session_id"], accountID: row["account_id"], generation: row["token_generation"], at: row["outdated_at"])
    }
    return SnapshotParts.page(events, of: events) { RevocationPosition.key($0.at, $0.sessionID) }
  }

  /// The session of that id.
  static func find(_ id: SessionID, in database: Database) throws -> SessionRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM sessions WHERE session_id = ?"), arguments: [id]).map(
      SessionRecord.init)
  }

  /// Whether the session is the account's and has not ended.
  static func isLive(_ id: SessionID, of account: AccountID, now: Instant, in database: Database) throws -> Bool {
    guard let session = try find(id, in: database) else { return false }
    return session.accountID == account && session.revokedAt == nil && session.expiresAt > now
  }

  /// The account's sessions that have not ended, the newest login first: ids grow with time.
  ///
  /// - Parameter only: of these the one that is meant; nil for all.
  static func listLive(
    of account: AccountID, only session: SessionID? = nil, before last: SessionID?, limit: Int, now: Instant,
    in database: Database
  ) throws -> [SessionRecord] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT * FROM sessions INDEXED BY sessions_live
          WHERE account_id = ?1 AND session_id < ?2 AND revoked_at IS NULL AND expires_at > ?3
            AND (?5 IS NULL OR session_id = ?5)
          ORDER BY session_id DESC LIMIT ?4
          """),
      arguments: [account, last ?? .last, now, limit, session]
    ).map(SessionRecord.init)
  }

  /// The account's live sessions but that one: the newest logins, where there are more than ``SessionRules/maxCompared``.
  static func others(
    than session: SessionID, of account: AccountID, now: Instant, in database: Database
  ) throws -> [LiveSession] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id, last_seen_at, (\(LoginAlertStore.doubt(of: "session.session_id"))) AS alert_id
          FROM sessions AS session INDEXED BY sessions_live
          WHERE account_id = ? AND session_id <> ? AND revoked_at IS NULL AND expires_at > ?
          ORDER BY session_id DESC LIMIT ?
          """),
      arguments: [account, session, now, SessionRules.maxCompared]
    ).map { LiveSession(id: $0["session_id"], lastSeenAt: $0["last_seen_at"], alert: $0["alert_id"]) }
  }

  /// The token of that hash.
  static func findToken(_ hash: Data, in database: Database) throws -> RefreshTokenRecord? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT token.session_id, token.expires_at, token.used_at, successor.used_at AS successor_used_at,
          successor.token_hash AS successor_hash
        FROM refresh_tokens AS token LEFT JOIN refresh_tokens AS successor ON successor.parent_hash = token.token_hash
        WHERE token.token_hash = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [hash]), let session = try find(row["session_id"], in: database) else {
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

  /// Begins a session with the first token of its family, and ends those that the account has too many with it, see ``SessionRules``.
  ///
  /// - Parameter alert: about the login it begins with, if that was unlike the account.
  static func begin(
    of account: AccountRecord, device: DeviceName?, under alert: LoginAlertID? = nil, _ caller: Caller, _ transaction: Transaction
  ) throws -> GivenTokens {
    let id = SessionID()
    let token = RefreshToken()
    let expiresAt = transaction.now.adding(seconds: RefreshRules.lifetimeSeconds)
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO sessions (session_id, account_id, device, address, user_agent, created_at, expires_at, last_seen_at,
          last_seen_address)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6, ?4)
        """
    ).execute(arguments: [
      id, account.id, device?.description, caller.keptAddress,
      caller.keptUserAgent, transaction.now, expiresAt,
    ])
    try insert(token, of: id, parent: nil, expiresAt: expiresAt, transaction)
    if let alert { try LoginAlertStore.put(id, under: alert, transaction) }
    let begun = try given(token, id, account, at: transaction.now, transaction)
    let others = try others(than: id, of: account.id, now: transaction.now, in: transaction.database)
    for session in SessionRules.replaced(among: others, byOneUnder: begun.isInDoubt ? alert : nil) {
      try revoke(session, of: account.id, .replaced, transaction)
      try SecurityEventStore.record(
        SecurityEvent(.sessionReplaced, account: account.id, session: session), from: caller, transaction)
    }
    return begun
  }

  /// Exchanges the token for its successor, and keeps the session, which was seen by it, for as long again.
  static func rotate(
    _ token: RefreshToken, _ session: SessionRecord, _ caller: Caller, key: SecretKey, _ transaction: Transaction
  ) throws -> RefreshToken {
    let expiresAt = transaction.now.adding(seconds: RefreshRules.lifetimeSeconds)
    let successor = token.successor(key: key)
    try use(token.hash, transaction)
    try insert(successor, of: session.id, parent: token.hash, expiresAt: expiresAt, transaction)
    try keep(session.id, until: expiresAt, caller, transaction)
    // A token that is past its time is of no use to anybody, not even as a sign of theft.
    try transaction.database.cachedStatement(sql: "DELETE FROM refresh_tokens WHERE session_id = ? AND expires_at <= ?")
      .execute(arguments: [session.id, transaction.now])
    return successor
  }

  /// Gives the calling session new tokens. All former ones, refresh and access tokens alike, are no longer valid. The former refresh token
  /// counts as exchanged, so that a client that lost the answer gets the same one by it for a while. A thief of that token can use it for
  /// as long, and is detected as with any refresh: the second of the two to refresh closes the session.
  static func renewTokens(_ call: AccountCall, key: SecretKey, _ transaction: Transaction) throws -> GivenTokens {
    try renewTokens(of: try call.session, try call.liveAccount(transaction.database), call.caller, key: key, transaction)
  }

  /// The same for a session of an account.
  static func renewTokens(
    of session: SessionID, _ account: AccountRecord, _ caller: Caller, key: SecretKey, _ transaction: Transaction
  ) throws -> GivenTokens {
    let expiresAt = transaction.now.adding(seconds: RefreshRules.lifetimeSeconds)
    let former = try Data.fetchOne(
      transaction.database.cachedStatement(sql: "SELECT token_hash FROM refresh_tokens WHERE session_id = ? AND used_at IS NULL"),
      arguments: [session])
    if let former { try use(former, transaction) }
    let token = former.map { RefreshToken.replacing($0, key: key) } ?? RefreshToken()
    try insert(token, of: session, parent: former, expiresAt: expiresAt, transaction)
    try keep(session, until: expiresAt, caller, transaction)
    try invalidateTokens(session, of: account.id, transaction)
    return try given(token, session, account, at: transaction.now, transaction)
  }

  /// Lets the token of that hash count as exchanged.
  private static func use(_ token: Data, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "UPDATE refresh_tokens SET used_at = ? WHERE token_hash = ?")
      .execute(arguments: [transaction.now, token])
  }

  /// Keeps a session that got tokens for as long again: it was seen by that.
  private static func keep(_ session: SessionID, until expiresAt: Instant, _ caller: Caller, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE sessions SET expires_at = ?, last_seen_at = ?, last_seen_address = ? WHERE session_id = ?"
    ).execute(arguments: [expiresAt, transaction.now, caller.keptAddress, session])
  }

  /// Invalidates the access tokens issued to the session so far: they count as expired in every service. This is for changes that cannot
  /// wait for their expiry: an administrator is dismissed, the password is changed, a login in doubt is confirmed.
  static func invalidateTokens(_ session: SessionID, of account: AccountID, _ transaction: Transaction) throws {
    let generation = try Int.fetchOne(
      transaction.database.cachedStatement(
        sql: """
          UPDATE sessions SET token_generation = token_generation + 1, outdated_at = ?
          WHERE session_id = ? AND account_id = ? AND revoked_at IS NULL RETURNING token_generation
          """),
      arguments: [transaction.now, session, account])
    guard let generation else { return }
    try transaction.publish(
      AccessTokensInvalidated(sessionID: session, accountID: account, generation: generation, at: transaction.now))
  }

  /// The same for each of the account's sessions.
  static func invalidateAllTokens(of account: AccountID, _ transaction: Transaction) throws {
    for session in try listLive(of: account, before: nil, limit: -1, now: transaction.now, in: transaction.database) {
      try invalidateTokens(session.id, of: account, transaction)
    }
  }

  /// Ends the account's sessions, each published by an event of its own.
  ///
  /// - Returns: those that it ended.
  @discardableResult
  static func revokeAll(
    of account: AccountID, except kept: SessionID? = nil, _ reason: SessionRevoked.Reason, _ transaction: Transaction
  ) throws -> [SessionID] {
    let others = try listLive(of: account, before: nil, limit: -1, now: transaction.now, in: transaction.database).map(\.id)
      .filter { $0 != kept }
    for session in others { try revoke(session, of: account, reason, transaction) }
    return others
  }

  /// Ends sessions of an account that has had too many since before there was a bound, as a login does. Each is published, so that no
  /// gateway takes its access tokens any longer.
  ///
  /// - Returns: whether there may be more, of that account or of another one.
  static func endSurplus(limit: Int, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    let surplus = try Row.fetchOne(
      database.cachedStatement(
        sql: "SELECT * FROM session_surpluses WHERE account_id > ? ORDER BY account_id, is_in_doubt LIMIT 1"),
      arguments: [AccountID.placeholder])
    guard let surplus else { return false }
    let account: AccountID = surplus["account_id"]
    let isInDoubt: Bool = surplus["is_in_doubt"]
    let seenBefore: Instant = surplus["seen_before"]
    let sessions = try SessionID.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id FROM sessions AS session INDEXED BY sessions_live
          WHERE account_id = ? AND revoked_at IS NULL AND last_seen_at < ?
            AND EXISTS (\(LoginAlertStore.doubt(of: "session.session_id"))) = ?
          LIMIT ?
          """),
      arguments: [account, seenBefore, isInDoubt, limit])
    for session in sessions {
      try revoke(session, of: account, .replaced, transaction)
      try SecurityEventStore.record(
        SecurityEvent(.sessionReplaced, account: account, session: session), from: .service(.identity), transaction)
    }
    if sessions.count < limit {
      try database.cachedStatement(sql: "DELETE FROM session_surpluses WHERE account_id = ? AND is_in_doubt = ?")
        .execute(arguments: [account, isInDoubt])
    }
    return true
  }

  /// Ends sessions of an account that is deleted, those seen last first: their access tokens may be good still.
  ///
  /// - Returns: how many.
  @Sendable
  static func end(ofDeleted account: AccountID, limit: Int, _ transaction: Transaction) throws -> Int {
    let database = transaction.database
    let sessions = try SessionID.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id FROM sessions INDEXED BY sessions_live
          WHERE account_id = ? AND revoked_at IS NULL AND expires_at > ? ORDER BY last_seen_at DESC LIMIT ?
          """),
      arguments: [account, transaction.now, limit])
    for session in sessions {
      try revoke(session, of: account, .accountDeleted, transaction)
      try database.cachedStatement(
        sql: "INSERT INTO ended_sessions (session_id, account_id, ended_at) VALUES (?, ?, ?)"
      ).execute(arguments: [session, account, transaction.now])
    }
    return sessions.count
  }

  /// Notes which sessions of an account that is deleted had been ended so lately that the snapshot publishes them still.
  static func noteEnded(ofDeleted account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO ended_sessions (session_id, account_id, ended_at)
        SELECT session_id, account_id, revoked_at FROM sessions WHERE account_id = ?1 AND revoked_at > ?2
        ON CONFLICT (session_id) DO NOTHING
        """
    ).execute(arguments: [account, transaction.now.adding(seconds: -Revocation.publishedSeconds)])
  }

  /// Ends the session and notifies all services, unless it has ended before.
  ///
  /// - Returns: whether it had not.
  @discardableResult
  static func revoke(
    _ session: SessionID, of account: AccountID, _ reason: SessionRevoked.Reason, _ transaction: Transaction
  ) throws -> Bool {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE sessions SET revoked_at = ?, revocation_reason = ?
        WHERE session_id = ? AND account_id = ? AND revoked_at IS NULL
        """
    ).execute(arguments: [transaction.now, reason, session, account])
    guard transaction.database.changesCount > 0 else { return false }
    // Neither is a sign of danger.
    if reason != .loggedOut, reason != .replaced { try DeviceTokenStore.forget(of: session, transaction) }
    try transaction.publish(SessionRevoked(sessionID: session, accountID: account, reason: reason, at: transaction.now))
    return true
  }

  /// What the client of the session is given.
  static func given(
    _ token: RefreshToken, _ id: SessionID, _ account: AccountRecord, at: Instant, _ transaction: Transaction
  ) throws -> GivenTokens {
    guard let session = try find(id, in: transaction.database) else { throw Failure(RequestFailure.notFound) }
    return GivenTokens(
      account: account, session: session, isInDoubt: try LoginAlertStore.isInDoubt(id, in: transaction.database),
      refreshToken: token, givenAt: at)
  }

  private static func insert(
    _ token: RefreshToken, of session: SessionID, parent: Data?, expiresAt: Instant, _ transaction: Transaction
  ) throws {
    try transaction.database.cachedStatement(
      sql: "INSERT INTO refresh_tokens (token_hash, session_id, parent_hash, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [token.hash, session, parent, transaction.now, expiresAt])
  }
}
