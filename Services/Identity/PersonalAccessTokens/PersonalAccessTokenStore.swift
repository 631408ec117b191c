import Foundation
import GRDB
import IdentityContract
import Operations
import Storage

/// A personal access token as it is kept: without its secret.
struct PersonalAccessTokenRecord: Sendable {
  let id: PersonalAccessTokenID
  let accountID: AccountID
  let name: PersonalAccessTokenName
  let scopes: [AccessScope]
  let createdAt: Instant
  let expiresAt: Instant?
  let lastUsedAt: Instant?
  let revokedAt: Instant?

  init(_ row: Row) throws {
    id = row["token_id"]
    accountID = row["account_id"]
    name = row["name"]
    scopes = try (row["scopes"] as String).split(separator: " ").map { try AccessScope(text: String($0)) }
    createdAt = row["created_at"]
    expiresAt = row["expires_at"]
    lastUsedAt = row["last_used_at"]
    revokedAt = row["revoked_at"]
  }

  /// What its owner sees.
  var own: PersonalAccessToken {
    PersonalAccessToken(
      id: id, name: name, scopes: scopes, createdAt: createdAt, expiresAt: expiresAt, lastUsedAt: lastUsedAt)
  }
}

extension Database {
  /// The token of that id.
  func personalAccessToken(_ id: PersonalAccessTokenID) throws -> PersonalAccessTokenRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM personal_access_tokens WHERE token_id = ?"), arguments: [id])
      .map(PersonalAccessTokenRecord.init)
  }

  /// The token whose secret has that hash.
  func personalAccessToken(_ hash: PersonalAccessTokenHash) throws -> PersonalAccessTokenRecord? {
    try Row.fetchOne(
      cachedStatement(sql: "SELECT * FROM personal_access_tokens WHERE token_hash = ?"), arguments: [Data(hash.bytes)]
    ).map(PersonalAccessTokenRecord.init)
  }

  /// The account's tokens that have not been revoked, the newest first: ids grow with time.
  func personalAccessTokens(
    of account: AccountID, before last: PersonalAccessTokenID?, limit: Int
  ) throws -> [PersonalAccessTokenRecord] {
    try Row.fetchAll(
      cachedStatement(
        sql: """
          SELECT * FROM personal_access_tokens
          WHERE account_id = ? AND (?2 IS NULL OR token_id < ?2) AND revoked_at IS NULL ORDER BY token_id DESC LIMIT ?3
          """),
      arguments: [account, last, limit]
    ).map(PersonalAccessTokenRecord.init)
  }
}

extension Transaction {
  /// Adds a token, of which only its secret's hash is kept.
  func insertPersonalAccessToken(
    of account: AccountID, _ input: CreatePersonalAccessToken.Input, _ hash: PersonalAccessTokenHash
  ) throws -> PersonalAccessTokenRecord {
    let id = PersonalAccessTokenID()
    let scopes = Set(input.scopes).map(\.rawValue).sorted().joined(separator: " ")
    try database.cachedStatement(
      sql: """
        INSERT INTO personal_access_tokens (token_id, account_id, name, token_hash, scopes, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [id, account, input.name, Data(hash.bytes), scopes, now, input.expiresAt])
    guard let token = try database.personalAccessToken(id) else { throw Failure(RequestFailure.notFound) }
    return token
  }

  /// Notes that the token is in use.
  func notePersonalAccessTokenUse(_ id: PersonalAccessTokenID) throws {
    try database.cachedStatement(
      sql: "UPDATE personal_access_tokens SET last_used_at = ? WHERE token_id = ? AND revoked_at IS NULL"
    ).execute(arguments: [now, id])
  }

  /// Revokes the token and tells all gateways, unless that was done before.
  ///
  /// - Returns: whether it was not.
  @discardableResult
  func revokePersonalAccessToken(_ id: PersonalAccessTokenID, of account: AccountID) throws -> Bool {
    try database.cachedStatement(
      sql: "UPDATE personal_access_tokens SET revoked_at = ? WHERE token_id = ? AND account_id = ? AND revoked_at IS NULL"
    ).execute(arguments: [now, id, account])
    guard database.changesCount > 0 else { return false }
    try publish(PersonalAccessTokenRevoked(tokenID: id, accountID: account, at: now))
    return true
  }
}
