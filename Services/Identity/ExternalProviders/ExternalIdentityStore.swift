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

/// Which person at a provider is which account.
enum ExternalIdentityStore {
  /// Its table, and that of the flows that prove identities.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "external identities") { database in
      try database.execute(
        sql: """
          -- Without one, the hash is of random bytes that nobody knows: logging in by password does the same work and fails.
          ALTER TABLE accounts ADD COLUMN has_password INTEGER NOT NULL DEFAULT 1 CHECK (has_password IN (0, 1));

          -- Neither a token of the provider nor its data about the person is stored.
          CREATE TABLE external_identities (
            identity_id BLOB NOT NULL PRIMARY KEY CHECK (length(identity_id) = 16),
            account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
            provider TEXT NOT NULL,
            issuer TEXT NOT NULL,
            subject TEXT NOT NULL CHECK (subject <> ''),
            linked_at INTEGER NOT NULL,
            last_used_at INTEGER,
            UNIQUE (issuer, subject),
            UNIQUE (account_id, provider)
          ) STRICT, WITHOUT ROWID;

          -- Open flows. State, nonce, verifier and the client's secret are derived from the row by a key outside the store.
          CREATE TABLE external_logins (
            flow_id BLOB NOT NULL PRIMARY KEY CHECK (length(flow_id) = 16),
            provider TEXT NOT NULL,
            -- Who links an identity, and in which session; nobody where somebody logs in.
            account_id BLOB REFERENCES accounts (account_id) ON DELETE CASCADE,
            session_id BLOB REFERENCES sessions (session_id) ON DELETE CASCADE,
            redirect_uri TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            ended_at INTEGER,
            CHECK ((account_id IS NULL) = (session_id IS NULL))
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX external_logins_by_expiry ON external_logins (expires_at);
          CREATE INDEX external_logins_by_account ON external_logins (account_id) WHERE account_id IS NOT NULL;
          CREATE INDEX external_logins_by_session ON external_logins (session_id) WHERE session_id IS NOT NULL;
          """)
    }
  }

  static func alertsMigration(_ number: Int) -> Migration {
    Migration(number, "alerts of sessions that linked identities") { database in
      try database.execute(
        sql: """
          -- The unconfirmed alert of the session that linked it.
          ALTER TABLE external_identities ADD COLUMN alert_id BLOB REFERENCES login_alerts (alert_id) ON DELETE SET NULL;
          CREATE INDEX external_identities_by_alert ON external_identities (alert_id) WHERE alert_id IS NOT NULL;
          """)
    }
  }

  /// The link of a person at a provider.
  static func find(_ proven: ProvenIdentity, in database: Database) throws -> ExternalIdentityRecord? {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT * FROM external_identities WHERE issuer = ? AND subject = ?"),
      arguments: [proven.issuer, proven.subject]
    ).map(ExternalIdentityRecord.init)
  }

  /// The account's links, the oldest first: ids grow with time.
  static func list(of account: AccountID, in database: Database) throws -> [ExternalIdentityRecord] {
    try Row.fetchAll(
      database.cachedStatement(sql: "SELECT * FROM external_identities WHERE account_id = ? ORDER BY identity_id"),
      arguments: [account]
    ).map(ExternalIdentityRecord.init)
  }

  /// Links the person to the account.
  ///
  /// - Parameter alert: under which the session stands that links it, see ``LoginAlertStore/findUnconfirmed(of:in:)``.
  static func add(
    _ proven: ProvenIdentity, of account: AccountID, under alert: LoginAlertID? = nil, _ transaction: Transaction
  ) throws -> ExternalIdentityRecord {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO external_identities (identity_id, account_id, provider, issuer, subject, linked_at, alert_id)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      ExternalIdentityID(), account, proven.provider.description, proven.issuer, proven.subject, transaction.now, alert,
    ])
    guard let identity = try find(proven, in: transaction.database) else { throw Failure(RequestFailure.notFound) }
    return identity
  }

  /// Notes that somebody logged in with it.
  static func noteUse(of identity: ExternalIdentityRecord, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "UPDATE external_identities SET last_used_at = ? WHERE identity_id = ?")
      .execute(arguments: [transaction.now, identity.id])
  }

  /// Unlinks the identities that were linked in sessions whose login the owner has not confirmed: a person who knew the password may have
  /// linked one to keep access.
  ///
  /// - Parameter session: keeps the identities linked under the alert that this session began with; the owner is using it.
  static func unlinkDoubtful(
    of account: AccountID, except session: SessionID? = nil, _ caller: Caller, _ transaction: Transaction
  ) throws {
    let doubtful = try Row.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          SELECT identity.* FROM external_identities AS identity JOIN login_alerts AS alert ON alert.alert_id = identity.alert_id
          WHERE identity.account_id = ?1 AND alert.answer IS NOT 'confirm' AND NOT EXISTS (
            SELECT 1 FROM login_alert_sessions AS begun WHERE begun.alert_id = alert.alert_id AND begun.session_id = ?2)
          """),
      arguments: [account, session]
    ).map(ExternalIdentityRecord.init)
    for identity in doubtful { try unlink(identity, caller, transaction) }
  }

  /// Removes the link, records and publishes that. What the person granted at the provider is given back from here on, see
  /// ``ProviderRevocationWorker``.
  static func unlink(_ identity: ExternalIdentityRecord, _ caller: Caller, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM external_identities WHERE identity_id = ?")
      .execute(arguments: [identity.id])
    try SecurityEventStore.record(
      SecurityEvent(
        .identityUnlinked, account: identity.accountID, session: caller.session, detail: identity.provider), from: caller,
      transaction)
    try transaction.publish(IdentityLinkChanged(changeID: IdentityLinkChangeID(), accountID: identity.accountID, isLinked: false))
  }
}
