import GRDB
import Storage

/// Identity's tables. Migrations are only ever added to.
enum Schema {
  static let migrations = [
    Migration(1, "accounts, sessions, links, failures") { try $0.execute(sql: first) },
    Migration(2, "when and where sessions were last seen") { try $0.execute(sql: SessionSchema.lastSeen) },
    Migration(3, "personal access tokens") { try $0.execute(sql: PersonalAccessTokenSchema.first) },
    Migration(4, "password recoveries") { try $0.execute(sql: passwordRecoveries) },
    Migration(5, "external identities") { try $0.execute(sql: ExternalProviderSchema.first) },
    Migration(6, "known devices and places, alerts of logins") { try $0.execute(sql: LoginAlertSchema.first) },
    Migration(7, "incidents") { try $0.execute(sql: IncidentSchema.first) },
    Migration(8, "security reports") { try $0.execute(sql: ReportSchema.first) },
    Migration(9, "settings and consents") { try $0.execute(sql: SettingsSchema.first) },
    Migration(10, "directory") { try $0.execute(sql: DirectorySchema.first) },
    Migration(11, "secrets") { try $0.execute(sql: SecretSchema.first) },
    Migration(12, "account deletions") { try $0.execute(sql: AccountDeletionSchema.first) },
    Migration(13, "photos") { try $0.execute(sql: PhotoSchema.first) },
    Migration(14, "links to public profiles") { try $0.execute(sql: PublicLinkSchema.first) },
    Migration(15, "changes of e-mail addresses") { try $0.execute(sql: EmailChangeSchema.first) },
    Migration(16, "administrators are found by an index") { try $0.execute(sql: administrators) },
    Migration(17, "devices that have logged in") { try $0.execute(sql: DeviceTokenSchema.first) },
    Migration(18, "changes of addresses can be undone") { try $0.execute(sql: EmailChangeSchema.undoing) },
    Migration(19, "former usernames") { try $0.execute(sql: ReservedNames.ofAccounts) },
    Migration(20, "generations of access tokens") { try $0.execute(sql: SessionSchema.generations) },
    Migration(21, "alerts of sessions that linked identities") { try $0.execute(sql: ExternalProviderSchema.alerts) },
    Migration(22, "when passwords were changed") { try $0.execute(sql: PasswordSchema.changes) },
    Migration(23, "refused proofs of external providers") { try $0.execute(sql: IncidentSchema.proofs) },
    Migration(24, "withdrawn access") { try $0.execute(sql: AccessWithdrawalSchema.first) },
    Migration(25, "subscribers of security events") { try IncidentSchema.addSubscribers($0) },
    Migration(26, "grants of external providers") { try $0.execute(sql: ExternalProviderSchema.grants) },
    Migration(27, "ends of providers' tokens") { try $0.execute(sql: ExternalProviderSchema.grantEnds) },
    Migration(28, "incidents that are nobody's") { try $0.execute(sql: IncidentSchema.ofNobody) },
    Migration(29, "larger photos") { try PhotoSchema.raiseSize($0) },
    Migration(30, "sessions of deleted accounts") { try SessionSchema.outliveAccounts($0) },
  ]

  private static let first = """
    CREATE TABLE accounts (
      account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
      email TEXT NOT NULL,
      -- Lower case, the domain in ASCII: what makes two addresses the same.
      email_normalized TEXT NOT NULL,
      username TEXT NOT NULL COLLATE NOCASE,
      -- PHC string of Argon2id.
      password_hash TEXT NOT NULL CHECK (password_hash LIKE '$argon2id$%'),
      name TEXT,
      age INTEGER CHECK (age BETWEEN 0 AND 150),
      nickname TEXT,
      time_zone TEXT NOT NULL,
      day_start_hour INTEGER NOT NULL DEFAULT 0 CHECK (day_start_hour BETWEEN 0 AND 6),
      language TEXT NOT NULL,
      is_administrator INTEGER NOT NULL DEFAULT 0 CHECK (is_administrator IN (0, 1)),
      created_at INTEGER NOT NULL,
      verified_at INTEGER,
      -- Grows with each change that others are told of.
      revision INTEGER NOT NULL DEFAULT 1 CHECK (revision > 0)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX accounts_by_email ON accounts (email_normalized);
    CREATE UNIQUE INDEX accounts_by_username ON accounts (username);

    CREATE TABLE sessions (
      session_id BLOB NOT NULL PRIMARY KEY CHECK (length(session_id) = 16),
      account_id BLOB NOT NULL REFERENCES accounts (account_id),
      device TEXT,
      address TEXT,
      user_agent TEXT,
      created_at INTEGER NOT NULL,
      -- 30 days after the last refresh.
      expires_at INTEGER NOT NULL,
      revoked_at INTEGER,
      revocation_reason TEXT,
      CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sessions_by_account ON sessions (account_id);
    CREATE INDEX sessions_by_expiry ON sessions (expires_at);
    CREATE INDEX sessions_by_revocation ON sessions (revoked_at) WHERE revoked_at IS NOT NULL;

    -- A session's tokens are a family: each but the first came in exchange for its parent.
    CREATE TABLE refresh_tokens (
      token_hash BLOB NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
      session_id BLOB NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
      parent_hash BLOB UNIQUE CHECK (length(parent_hash) = 32),
      issued_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER
    ) STRICT, WITHOUT ROWID;
    -- Only one token of a family can be exchanged.
    CREATE UNIQUE INDEX refresh_tokens_unused ON refresh_tokens (session_id) WHERE used_at IS NULL;
    CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);

    -- A link's token is derived from its id by a key outside the store; neither it nor a hash of it is kept.
    CREATE TABLE verification_links (
      link_id BLOB NOT NULL PRIMARY KEY CHECK (length(link_id) = 16),
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      email_normalized TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      replaced_at INTEGER,
      used_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX verification_links_by_expiry ON verification_links (expires_at);
    CREATE INDEX verification_links_by_account ON verification_links (account_id, created_at);

    -- Both keys are keyed hashes: what was typed as a login may be anything, even a password.
    CREATE TABLE login_failures (
      account_key BLOB NOT NULL CHECK (length(account_key) = 32),
      address_key BLOB NOT NULL CHECK (length(address_key) = 32),
      failures INTEGER NOT NULL CHECK (failures > 0),
      last_at INTEGER NOT NULL,
      PRIMARY KEY (account_key, address_key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX login_failures_by_address ON login_failures (address_key, last_at);
    CREATE INDEX login_failures_by_time ON login_failures (last_at);

    CREATE TABLE security_events (
      security_event_id BLOB NOT NULL PRIMARY KEY CHECK (length(security_event_id) = 16),
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
      account_id BLOB CHECK (length(account_id) = 16),
      session_id BLOB CHECK (length(session_id) = 16),
      address TEXT,
      user_agent TEXT,
      detail TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX security_events_by_time ON security_events (at);
    CREATE INDEX security_events_by_account ON security_events (account_id, at);
    """

  /// Looked for within other writes, and they are few among many.
  private static let administrators = """
    CREATE INDEX accounts_administrators ON accounts (account_id) WHERE is_administrator = 1;
    """

  private static let passwordRecoveries = """
    -- A request to recover a password, and its mailed link. As with verification links, the token is kept nowhere.
    CREATE TABLE password_recoveries (
      recovery_id BLOB NOT NULL PRIMARY KEY CHECK (length(recovery_id) = 16),
      -- Keyed hashes of the e-mail address that was typed and of where the request came from.
      email_key BLOB NOT NULL CHECK (length(email_key) = 32),
      address_key BLOB CHECK (length(address_key) = 32),
      -- Nobody's where no account has the address; the row is made all the same, so that it takes as long.
      account_id BLOB REFERENCES accounts (account_id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      replaced_at INTEGER,
      used_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX password_recoveries_by_email ON password_recoveries (email_key, created_at);
    CREATE INDEX password_recoveries_by_address ON password_recoveries (address_key, created_at);
    CREATE INDEX password_recoveries_by_account ON password_recoveries (account_id);
    CREATE INDEX password_recoveries_by_expiry ON password_recoveries (expires_at);
    """
}
