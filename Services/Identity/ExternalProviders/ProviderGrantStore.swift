import GRDB
import IdentityContract
import Operations
import SecureStorage
import Storage

/// Marks ids of grants of external providers.
enum ProviderGrantMark {}
typealias ProviderGrantID = ID<ProviderGrantMark>

extension ProviderGrantID {
  /// Random throughout: an id that held when it was made would show, once the account is gone, when that was.
  fileprivate static var random: ProviderGrantID {
    guard let id = ProviderGrantID(bytes: (0..<16).map { _ in UInt8.random(in: .min ... .max) }) else {
      preconditionFailure("there are 16 bytes")
    }
    return id
  }

  /// Where its token rests.
  fileprivate var token: SecretName { SecretName(.providerToken, of: bytes) }
}

extension ProviderToken.Kind: DatabaseValueConvertible {}

/// A grant without an identity, taken on to be given back to its provider.
struct TakenRevocation: Sendable {
  let id: ProviderGrantID
  let provider: String
  let issuer: String
  let token: ProviderToken
  /// Whether none follows.
  let isLastTry: Bool
}

/// A grant that is to be given back now.
struct DueRevocation: Sendable {
  let id: ProviderGrantID
  let provider: String
}

/// What people granted to this client at providers, until it is given back.
enum ProviderGrantStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "grants of external providers") { database in
      try database.execute(
        sql: """
          -- What people granted to this client at providers. The token by which it can be given back is a secret (`providerToken`) whose
          -- owner is the grant; without the identity, however it was removed, it is to be given back, and nothing says whose it was.
          CREATE TABLE provider_grants (
            grant_id BLOB NOT NULL PRIMARY KEY CHECK (length(grant_id) = 16),
            identity_id BLOB UNIQUE REFERENCES external_identities (identity_id) ON DELETE SET NULL,
            provider TEXT NOT NULL,
            -- The token goes to nobody else, whoever has that name by then.
            issuer TEXT NOT NULL,
            token_kind TEXT NOT NULL CHECK (token_kind IN ('refresh_token', 'access_token')),
            -- How often it was tried to give it back.
            tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
            first_tried_at INTEGER,
            next_at INTEGER NOT NULL DEFAULT 0,
            CHECK ((tries = 0) = (first_tried_at IS NULL)),
            CHECK (tries = 0 OR identity_id IS NULL)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX provider_grants_to_give_back ON provider_grants (provider, next_at) WHERE identity_id IS NULL;
          """)
    }
  }

  static func endsMigration(_ number: Int) -> Migration {
    Migration(number, "ends of providers' tokens") { database in
      try database.execute(
        sql: """
          -- When its access token expires, if the provider said so.
          ALTER TABLE provider_grants ADD COLUMN ends_at INTEGER CHECK (ends_at IS NULL OR token_kind = 'access_token');
          """)
    }
  }

  /// Due grants without an identity, at most so many of each provider: the backlog of one that is unavailable does not delay the others.
  static func due(now: Instant, ofEach maximum: Int, in database: Database) throws -> [DueRevocation] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT grant_id, provider FROM (
          SELECT grant_id, provider, row_number() OVER (PARTITION BY provider ORDER BY next_at, grant_id) AS position
          FROM provider_grants WHERE identity_id IS NULL AND next_at <= ?)
        WHERE position <= ? ORDER BY position
        """)
    return try Row.fetchAll(statement, arguments: [now, maximum]).map {
      DueRevocation(id: $0["grant_id"], provider: $0["provider"])
    }
  }

  /// Stores the token of a grant that a person has just made at a provider, before it is used: unless an identity takes it over soon, it is
  /// given back, whatever the outcome of the login.
  ///
  /// - Returns: nil where it cannot be kept safely, which is recorded: the login goes on without it.
  static func hold(
    _ token: ProviderToken, of provider: ExternalProviderName, _ issuer: String, in secrets: SecureStorage,
    _ transaction: Transaction
  ) throws -> ProviderGrantID? {
    let id = ProviderGrantID.random
    try transaction.database.cachedStatement(
      sql: "INSERT INTO provider_grants (grant_id, provider, issuer, token_kind, ends_at, next_at) VALUES (?, ?, ?, ?, ?, ?)"
    ).execute(arguments: [
      id, provider.description, issuer, token.kind, token.endsAt,
      transaction.now.adding(seconds: ProviderRevocationRules.heldSeconds),
    ])
    do {
      try SecretStore.keep(Array(token.text.utf8), id.token, in: secrets, transaction)
      return id
    } catch is SecureStorageFailure {
      try forget(id, transaction)
      return nil
    }
  }

  /// Assigns a held grant to the identity of the person who made it, in place of the former one. An access token, which soon expires, does
  /// not replace a refresh token.
  ///
  /// - Parameter id: nil for none; a grant that is already being given back counts as none.
  static func keep(_ id: ProviderGrantID?, of identity: ExternalIdentityRecord, _ transaction: Transaction) throws {
    guard let id,
      let kind = try ProviderToken.Kind.fetchOne(
        transaction.database.cachedStatement(
          sql: "SELECT token_kind FROM provider_grants WHERE grant_id = ? AND identity_id IS NULL AND tries = 0"),
        arguments: [id])
    else { return }
    let kept = try Row.fetchOne(
      transaction.database.cachedStatement(sql: "SELECT grant_id, token_kind FROM provider_grants WHERE identity_id = ?"),
      arguments: [identity.id])
    if let kept {
      let keptKind: ProviderToken.Kind = kept["token_kind"]
      guard keptKind != .refresh || kind == .refresh else { return try forget(id, transaction) }
      try forget(kept["grant_id"], transaction)
    }
    try transaction.database.cachedStatement(sql: "UPDATE provider_grants SET identity_id = ?, next_at = 0 WHERE grant_id = ?")
      .execute(arguments: [identity.id, id])
  }

  /// Makes an unused held grant due to be given back at once.
  ///
  /// - Parameter id: nil for none.
  static func giveBack(_ id: ProviderGrantID?, _ transaction: Transaction) throws {
    guard let id else { return }
    try transaction.database.cachedStatement(
      sql: "UPDATE provider_grants SET next_at = ? WHERE grant_id = ? AND identity_id IS NULL AND tries = 0"
    ).execute(arguments: [transaction.now, id])
  }

  /// Claims a due grant, to give it back. The attempt is counted here, so that it is repeated when due again if the process is killed
  /// during it: a second request changes nothing for the provider (RFC 7009, section 2.2).
  ///
  /// - Returns: nil where the grant is no longer due, or its token cannot be read or has expired.
  static func takeOn(_ id: ProviderGrantID, in secrets: SecureStorage, _ transaction: Transaction) throws -> TakenRevocation? {
    guard
      let row = try Row.fetchOne(
        transaction.database.cachedStatement(
          sql: "SELECT * FROM provider_grants WHERE grant_id = ? AND identity_id IS NULL AND next_at <= ?"),
        arguments: [id, transaction.now])
    else { return nil }
    if let endsAt: Instant = row["ends_at"], endsAt <= transaction.now {
      try forget(id, transaction)
      return nil
    }
    let (provider, tries): (String, Int) = (row["provider"], row["tries"] + 1)
    let firstTriedAt: Instant = row["first_tried_at"] ?? transaction.now
    let next = ProviderRevocationRules.nextTry(after: tries, firstTriedAt: firstTriedAt, now: transaction.now)
    try transaction.database.cachedStatement(
      sql: "UPDATE provider_grants SET tries = ?, first_tried_at = ?, next_at = ? WHERE grant_id = ?"
    ).execute(arguments: [tries, firstTriedAt, next ?? transaction.now, id])
    do {
      guard let token = try SecretStore.read(id.token, of: nil, in: secrets, transaction) else {
        try giveUp(id, of: provider, "token_lost", transaction)
        return nil
      }
      return TakenRevocation(
        id: id, provider: provider, issuer: row["issuer"],
        token: ProviderToken(kind: row["token_kind"], text: String(decoding: token, as: UTF8.self)), isLastTry: next == nil)
    } catch SecureStorageFailure.keyMissing {
      // Recorded; the key may come back.
      if next == nil { try giveUp(id, of: provider, "key_missing", transaction) }
      return nil
    }
  }

  /// Forgets a grant that was given back.
  static func end(_ revocation: TakenRevocation, _ transaction: Transaction) throws { try forget(revocation.id, transaction) }

  /// Forgets a grant that the provider will not have back, or could not be given back in time, and records it.
  static func end(_ revocation: TakenRevocation, _ problem: ProviderError, _ transaction: Transaction) throws {
    guard problem.failure == .refused else {
      return try giveUp(revocation.id, of: revocation.provider, problem.code, transaction)
    }
    try forget(revocation.id, transaction)
    try record(.grantRevocationRefused, revocation.provider, problem.code, transaction)
  }

  private static func giveUp(_ id: ProviderGrantID, of provider: String, _ reason: String, _ transaction: Transaction) throws {
    try forget(id, transaction)
    try record(.grantRevocationGivenUp, provider, reason, transaction)
  }

  private static func forget(_ id: ProviderGrantID, _ transaction: Transaction) throws {
    try SecretStore.forget(id.token, transaction)
    try transaction.database.cachedStatement(sql: "DELETE FROM provider_grants WHERE grant_id = ?").execute(arguments: [id])
  }

  private static func record(
    _ kind: SecurityEvent.Kind, _ provider: String, _ reason: String, _ transaction: Transaction
  ) throws {
    try SecurityEventStore.record(
      SecurityEvent(kind, account: nil, detail: "\(provider) \(reason)"), from: .service(.identity), transaction)
  }
}
