import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
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

/// The personal access tokens.
enum PersonalAccessTokenStore {
  /// An expired token stays in its owner's list for a while, to show why a script stopped.
  static let expiredKeptSeconds = 30 * 86_400
  /// Long enough for the snapshot.
  static let revokedKeptSeconds = 7 * 86_400

  static func migration(_ number: Int) -> Migration {
    Migration(number, "personal access tokens") { database in
      try database.execute(
        sql: """
          CREATE TABLE personal_access_tokens (
            token_id BLOB NOT NULL PRIMARY KEY CHECK (length(token_id) = 16),
            account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32),
            -- Names of scopes, a blank between.
            scopes TEXT NOT NULL CHECK (scopes <> ''),
            created_at INTEGER NOT NULL,
            -- Without one it works until it is revoked.
            expires_at INTEGER CHECK (expires_at > created_at),
            last_used_at INTEGER,
            revoked_at INTEGER
          ) STRICT, WITHOUT ROWID;
          CREATE UNIQUE INDEX personal_access_tokens_by_name ON personal_access_tokens (account_id, name) WHERE revoked_at IS NULL;
          CREATE INDEX personal_access_tokens_by_account ON personal_access_tokens (account_id, token_id);
          CREATE INDEX personal_access_tokens_by_expiry ON personal_access_tokens (expires_at) WHERE expires_at IS NOT NULL;
          CREATE INDEX personal_access_tokens_by_revocation ON personal_access_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
          """)
    }
  }

  /// The account of a token may be gone: thousands may have been revoked lately, so they go in steps behind it.
  static func deletedAccountsMigration(_ number: Int) -> Migration {
    Migration(number, "personal access tokens of deleted accounts") { database in
      try database.redeclare(
        "personal_access_tokens", replacing: "account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE",
        with: "account_id BLOB NOT NULL")
    }
  }

  /// Those revoked lately, as events; see `SnapshotParts`.
  static func snapshot(_ database: Database, after key: String?, now: Instant) throws -> SnapshotParts.Page {
    let last = try RevocationPosition(key, now: now)
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT token_id, account_id, revoked_at
          FROM personal_access_tokens INDEXED BY personal_access_tokens_by_revocation
          WHERE revoked_at >= :at AND (revoked_at > :at OR token_id > :id) ORDER BY revoked_at, token_id LIMIT :limit
          """),
      arguments: ["at": last.at, "id": last.id, "limit": SnapshotParts.pageSize])
    let events = rows.map { row in
      PersonalAccessTokenRevoked(tokenID: row["token_id"], accountID: row["account_id"], at: row["revoked_at"])
    }
    return SnapshotParts.page(events, of: events) { RevocationPosition.key($0.at, $0.tokenID) }
  }

  /// The token of that id.
  static func find(_ id: PersonalAccessTokenID, in database: Database) throws -> PersonalAccessTokenRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM personal_access_tokens WHERE token_id = ?"), arguments: [id])
      .map(PersonalAccessTokenRecord.init)
  }

  /// The token whose secret has that hash.
  static func find(_ hash: PersonalAccessTokenHash, in database: Database) throws -> PersonalAccessTokenRecord? {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT * FROM personal_access_tokens WHERE token_hash = ?"), arguments: [Data(hash.bytes)]
    ).map(PersonalAccessTokenRecord.init)
  }

  /// The account's tokens that have not been revoked, the newest first: ids grow with time. They are few, and found by the index
  /// that has no others.
  static func list(
    of account: AccountID, before last: PersonalAccessTokenID?, limit: Int, in database: Database
  ) throws -> [PersonalAccessTokenRecord] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT * FROM personal_access_tokens INDEXED BY personal_access_tokens_by_name
          WHERE account_id = ?1 AND token_id < ?2 AND revoked_at IS NULL ORDER BY token_id DESC LIMIT ?3
          """),
      arguments: [account, last ?? .last, limit]
    ).map(PersonalAccessTokenRecord.init)
  }

  /// Adds a token, of which only its secret's hash is kept.
  static func add(
    of account: AccountID, _ input: CreatePersonalAccessToken.Input, _ hash: PersonalAccessTokenHash, _ transaction: Transaction
  ) throws -> PersonalAccessTokenRecord {
    let id = PersonalAccessTokenID()
    let scopes = Set(input.scopes).map(\.rawValue).sorted().joined(separator: " ")
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO personal_access_tokens (token_id, account_id, name, token_hash, scopes, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [id, account, input.name, Data(hash.bytes), scopes, transaction.now, input.expiresAt])
    guard let token = try find(id, in: transaction.database) else { throw Failure(RequestFailure.notFound) }
    return token
  }

  /// Notes that the token is in use.
  static func noteUse(_ id: PersonalAccessTokenID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE personal_access_tokens SET last_used_at = ? WHERE token_id = ? AND revoked_at IS NULL"
    ).execute(arguments: [transaction.now, id])
  }

  /// Revokes the token and notifies all gateways, unless that was done before.
  ///
  /// - Returns: whether it was not.
  @discardableResult
  static func revoke(_ id: PersonalAccessTokenID, of account: AccountID, _ transaction: Transaction) throws -> Bool {
    try transaction.database.cachedStatement(
      sql: "UPDATE personal_access_tokens SET revoked_at = ? WHERE token_id = ? AND account_id = ? AND revoked_at IS NULL"
    ).execute(arguments: [transaction.now, id, account])
    guard transaction.database.changesCount > 0 else { return false }
    try transaction.publish(PersonalAccessTokenRevoked(tokenID: id, accountID: account, at: transaction.now))
    return true
  }
}
