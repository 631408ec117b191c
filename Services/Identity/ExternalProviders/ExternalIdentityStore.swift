import GRDB
import IdentityContract
import Operations
import Storage

/// A link between an account and a person at a provider, as it is kept.
struct ExternalIdentityRecord: Sendable {
  let id: ExternalIdentityID
  let accountID: AccountID
  let provider: String
  let issuer: String
  let subject: String
  let linkedAt: Instant
  let lastUsedAt: Instant?

  init(_ row: Row) {
    id = row["identity_id"]
    accountID = row["account_id"]
    provider = row["provider"]
    issuer = row["issuer"]
    subject = row["subject"]
    linkedAt = row["linked_at"]
    lastUsedAt = row["last_used_at"]
  }

  /// What its owner sees.
  func own() throws(FieldRule) -> ExternalIdentity {
    ExternalIdentity(
      id: id, provider: try ExternalProviderName(text: provider), linkedAt: linkedAt, lastUsedAt: lastUsedAt)
  }

  /// Whether it is that person.
  func isOf(_ proven: ProvenIdentity) -> Bool { issuer == proven.issuer && subject == proven.subject }
}

extension Database {
  /// The link of a person at a provider.
  func externalIdentity(_ proven: ProvenIdentity) throws -> ExternalIdentityRecord? {
    try Row.fetchOne(
      cachedStatement(sql: "SELECT * FROM external_identities WHERE issuer = ? AND subject = ?"),
      arguments: [proven.issuer, proven.subject]
    ).map(ExternalIdentityRecord.init)
  }

  /// The account's links, the oldest first: ids grow with time.
  func externalIdentities(of account: AccountID) throws -> [ExternalIdentityRecord] {
    try Row.fetchAll(
      cachedStatement(sql: "SELECT * FROM external_identities WHERE account_id = ? ORDER BY identity_id"), arguments: [account]
    ).map(ExternalIdentityRecord.init)
  }
}

extension Transaction {
  /// Links the person to the account.
  ///
  /// - Parameter alert: under which the session stands that links it, see ``Database/unconfirmedLoginAlert(of:)``.
  func insertExternalIdentity(
    _ proven: ProvenIdentity, of account: AccountID, under alert: LoginAlertID? = nil
  ) throws -> ExternalIdentityRecord {
    try database.cachedStatement(
      sql: """
        INSERT INTO external_identities (identity_id, account_id, provider, issuer, subject, linked_at, alert_id)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      ExternalIdentityID(), account, proven.provider.description, proven.issuer, proven.subject, now, alert,
    ])
    guard let identity = try database.externalIdentity(proven) else { throw Failure(RequestFailure.notFound) }
    return identity
  }

  /// Notes that somebody logged in with it.
  func noteUse(of identity: ExternalIdentityRecord) throws {
    try database.cachedStatement(sql: "UPDATE external_identities SET last_used_at = ? WHERE identity_id = ?").execute(
      arguments: [now, identity.id])
  }

  /// Unlinks the identities that were linked in sessions whose owner never said that it was they who had logged in: whoever had the
  /// password may have linked one to stay.
  ///
  /// - Parameter session: what was linked under the same alert as it began with stays: it is the owner's who does this.
  func unlinkDoubtful(of account: AccountID, except session: SessionID? = nil, _ caller: Caller) throws {
    let doubtful = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT identity.* FROM external_identities AS identity JOIN login_alerts AS alert ON alert.alert_id = identity.alert_id
          WHERE identity.account_id = ?1 AND alert.answer IS NOT 'confirm' AND NOT EXISTS (
            SELECT 1 FROM login_alert_sessions AS begun WHERE begun.alert_id = alert.alert_id AND begun.session_id = ?2)
          """),
      arguments: [account, session]
    ).map(ExternalIdentityRecord.init)
    for identity in doubtful { try unlink(identity, caller) }
  }

  /// Removes the link, records it and tells of it. What the person granted at the provider is given back from here on, see
  /// ``ProviderRevocations``.
  func unlink(_ identity: ExternalIdentityRecord, _ caller: Caller) throws {
    try database.cachedStatement(sql: "DELETE FROM external_identities WHERE identity_id = ?").execute(arguments: [identity.id])
    try record(
      SecurityEvent(
        .identityUnlinked, account: identity.accountID, session: caller.session, detail: identity.provider), from: caller)
    try publish(IdentityLinkChanged(changeID: IdentityLinkChangeID(), accountID: identity.accountID, isLinked: false))
  }
}
