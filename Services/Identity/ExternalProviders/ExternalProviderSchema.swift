/// The tables of external identities and of the flows that prove them.
enum ExternalProviderSchema {
  static let first = """
    -- Without one, the hash is of random bytes that nobody knows: logging in by password does the same work and fails.
    ALTER TABLE accounts ADD COLUMN has_password INTEGER NOT NULL DEFAULT 1 CHECK (has_password IN (0, 1));

    -- No token of the provider is kept, nor what it says of the person.
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

    -- Flows under way. State, nonce, verifier and the client's secret are derived from the row by a key outside the store.
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
    """

  static let alerts = """
    -- The alert under which the session stood that linked it, which nobody had confirmed by then.
    ALTER TABLE external_identities ADD COLUMN alert_id BLOB REFERENCES login_alerts (alert_id) ON DELETE SET NULL;
    CREATE INDEX external_identities_by_alert ON external_identities (alert_id) WHERE alert_id IS NOT NULL;
    """

  static let grants = """
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
    """

  static let grantEnds = """
    -- When its access token ends by itself, if the provider has said so.
    ALTER TABLE provider_grants ADD COLUMN ends_at INTEGER CHECK (ends_at IS NULL OR token_kind = 'access_token');
    """
}
