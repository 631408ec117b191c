import GRDB
import IdentityContract
import Operations
import SecureStorage
import Storage

/// Marks ids of grants of external providers.
enum ProviderGrantMark {}
typealias ProviderGrantID = ID<ProviderGrantMark>

extension ProviderGrantID {
  /// Random throughout: an id that told when it was made would tell, once the account is gone, when that was.
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

extension Database {
  /// Grants without an identity that are due, so many of each provider: a long row of one that is away keeps no other waiting.
  func dueRevocations(now: Instant, ofEach maximum: Int) throws -> [DueRevocation] {
    let statement = try cachedStatement(
      sql: """
        SELECT grant_id, provider FROM (
          SELECT grant_id, provider, row_number() OVER (PARTITION BY provider ORDER BY next_at, grant_id) AS place
          FROM provider_grants WHERE identity_id IS NULL AND next_at <= ?)
        WHERE place <= ? ORDER BY place
        """)
    return try Row.fetchAll(statement, arguments: [now, maximum]).map {
      DueRevocation(id: $0["grant_id"], provider: $0["provider"])
    }
  }
}

extension Transaction {
  /// Keeps by what a grant can be given back that a person has just made at a provider, before anything is made of it: unless an
  /// identity takes it over soon, it is given back, whatever has become of the login.
  ///
  /// - Returns: nil where it cannot be kept safely, which is recorded: the login goes on without it.
  func holdGrant(
    _ token: ProviderToken, of provider: ExternalProviderName, _ issuer: String, in secrets: SecureStorage
  ) throws -> ProviderGrantID? {
    let id = ProviderGrantID.random
    try database.cachedStatement(
      sql: "INSERT INTO provider_grants (grant_id, provider, issuer, token_kind, ends_at, next_at) VALUES (?, ?, ?, ?, ?, ?)"
    ).execute(arguments: [
      id, provider.description, issuer, token.kind, token.endsAt, now.adding(seconds: RevocationRule.heldSeconds),
    ])
    do {
      try keepSecret(Array(token.text.utf8), id.token, in: secrets)
      return id
    } catch is SecureStorageFailure {
      try forgetGrant(id)
      return nil
    }
  }

  /// Keeps a held grant for the identity of the person who has made it, in place of what was kept before. An access token, which soon
  /// ends by itself, takes no refresh token's place.
  ///
  /// - Parameter id: nil for none; one that was taken on meanwhile, to be given back, is none.
  func keepGrant(_ id: ProviderGrantID?, of identity: ExternalIdentityRecord) throws {
    guard let id,
      let kind = try ProviderToken.Kind.fetchOne(
        database.cachedStatement(
          sql: "SELECT token_kind FROM provider_grants WHERE grant_id = ? AND identity_id IS NULL AND tries = 0"),
        arguments: [id])
    else { return }
    let kept = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT grant_id, token_kind FROM provider_grants WHERE identity_id = ?"),
      arguments: [identity.id])
    if let kept {
      let keptKind: ProviderToken.Kind = kept["token_kind"]
      guard keptKind != .refresh || kind == .refresh else { return try forgetGrant(id) }
      try forgetGrant(kept["grant_id"])
    }
    try database.cachedStatement(sql: "UPDATE provider_grants SET identity_id = ?, next_at = 0 WHERE grant_id = ?").execute(
      arguments: [identity.id, id])
  }

  /// Lets a held grant of which nothing will come be given back at once.
  ///
  /// - Parameter id: nil for none.
  func giveBack(_ id: ProviderGrantID?) throws {
    guard let id else { return }
    try database.cachedStatement(
      sql: "UPDATE provider_grants SET next_at = ? WHERE grant_id = ? AND identity_id IS NULL AND tries = 0"
    ).execute(arguments: [now, id])
  }

  /// Takes on a grant that is due, to give it back. The try counts from here on, so that a process which is killed during it goes on
  /// with it when it is due again: to be told twice changes nothing for the provider (RFC 7009, section 2.2).
  ///
  /// - Returns: nil where it is no longer due, or its token cannot be had or has ended by itself.
  func takeOnRevocation(_ id: ProviderGrantID, in secrets: SecureStorage) throws -> TakenRevocation? {
    guard
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: "SELECT * FROM provider_grants WHERE grant_id = ? AND identity_id IS NULL AND next_at <= ?"),
        arguments: [id, now])
    else { return nil }
    if let endsAt: Instant = row["ends_at"], endsAt <= now {
      try forgetGrant(id)
      return nil
    }
    let (provider, tries): (String, Int) = (row["provider"], row["tries"] + 1)
    let firstTriedAt: Instant = row["first_tried_at"] ?? now
    let next = RevocationRule.nextTry(after: tries, firstTriedAt: firstTriedAt, now: now)
    try database.cachedStatement(
      sql: "UPDATE provider_grants SET tries = ?, first_tried_at = ?, next_at = ? WHERE grant_id = ?"
    ).execute(arguments: [tries, firstTriedAt, next ?? now, id])
    do {
      guard let token = try secret(id.token, of: nil, in: secrets) else {
        try giveUpRevocation(id, of: provider, "token_lost")
        return nil
      }
      return TakenRevocation(
        id: id, provider: provider, issuer: row["issuer"],
        token: ProviderToken(kind: row["token_kind"], text: String(decoding: token, as: UTF8.self)), isLastTry: next == nil)
    } catch SecureStorageFailure.keyMissing {
      // Recorded; the key may come back.
      if next == nil { try giveUpRevocation(id, of: provider, "key_missing") }
      return nil
    }
  }

  /// Forgets a grant that was given back.
  func endRevocation(_ revocation: TakenRevocation) throws { try forgetGrant(revocation.id) }

  /// Forgets a grant that the provider will not have back, or could not be given back in time, and records it.
  func endRevocation(_ revocation: TakenRevocation, _ trouble: ProviderTrouble) throws {
    guard trouble.failure == .refused else { return try giveUpRevocation(revocation.id, of: revocation.provider, trouble.code) }
    try forgetGrant(revocation.id)
    try record(.grantRevocationRefused, revocation.provider, trouble.code)
  }

  private func giveUpRevocation(_ id: ProviderGrantID, of provider: String, _ reason: String) throws {
    try forgetGrant(id)
    try record(.grantRevocationGivenUp, provider, reason)
  }

  private func forgetGrant(_ id: ProviderGrantID) throws {
    try forgetSecret(id.token)
    try database.cachedStatement(sql: "DELETE FROM provider_grants WHERE grant_id = ?").execute(arguments: [id])
  }

  private func record(_ kind: SecurityEvent.Kind, _ provider: String, _ reason: String) throws {
    try record(SecurityEvent(kind, account: nil, detail: "\(provider) \(reason)"), from: .service(.identity))
  }
}
