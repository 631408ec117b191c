-- Written by a test from the migrations (RACHA_TEST_WRITE=1), which alone make the tables.

CREATE TABLE access_withdrawals (
  withdrawal_id BLOB NOT NULL PRIMARY KEY CHECK (length(withdrawal_id) = 16),
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  -- access made before that stays; null if none does
  since INTEGER,
  withdrawn_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX access_withdrawals_by_account ON access_withdrawals (account_id, withdrawn_at);

CREATE TABLE account_deletion_parts (
  deletion_id BLOB NOT NULL REFERENCES account_deletions (deletion_id),
  service TEXT NOT NULL,
  counts TEXT NOT NULL CHECK (json_valid(counts)),
  confirmed_at INTEGER NOT NULL,
  PRIMARY KEY (deletion_id, service)
) STRICT, WITHOUT ROWID;

CREATE TABLE account_deletions (
  deletion_id BLOB NOT NULL PRIMARY KEY CHECK (length(deletion_id) = 16),
  account_id BLOB NOT NULL UNIQUE CHECK (length(account_id) = 16),
  requested_at INTEGER NOT NULL,
  -- When every service had confirmed.
  erased_at INTEGER,
  -- When the report was sent or given up, and the address forgotten.
  reported_at INTEGER,
  is_delivered INTEGER CHECK (is_delivered IN (0, 1)),
  -- When nothing was left in the files.
  finished_at INTEGER,
  CHECK ((reported_at IS NULL) = (is_delivered IS NULL)),
  CHECK (finished_at IS NULL OR erased_at IS NOT NULL AND reported_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_deletions_unfinished ON account_deletions (requested_at) WHERE finished_at IS NULL;

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
  -- Grows with each change that is published.
  revision INTEGER NOT NULL DEFAULT 1 CHECK (revision > 0)
, has_password INTEGER NOT NULL DEFAULT 1 CHECK (has_password IN (0, 1)), mutes_help INTEGER NOT NULL DEFAULT 0 CHECK (mutes_help IN (0, 1)), directory_visibility TEXT NOT NULL DEFAULT 'hidden'
  CHECK (directory_visibility IN ('hidden', 'listed')), consents TEXT NOT NULL DEFAULT '', photo_tag TEXT CHECK (length(photo_tag) = 32), password_changed_at INTEGER, name_visibility TEXT NOT NULL DEFAULT 'hidden'
  CHECK (name_visibility IN ('hidden', 'friends', 'everyone')), age_visibility TEXT NOT NULL DEFAULT 'hidden'
  CHECK (age_visibility IN ('hidden', 'friends', 'everyone')), gives_read_receipts INTEGER NOT NULL DEFAULT 1 CHECK (gives_read_receipts IN (0, 1)), suspended_until INTEGER, task_enrollment TEXT NOT NULL DEFAULT 'everyone'
  CHECK (task_enrollment IN ('everyone', 'everybody', 'friends', 'nobody'))) STRICT, WITHOUT ROWID;

CREATE INDEX accounts_administrators ON accounts (account_id) WHERE is_administrator = 1;

CREATE UNIQUE INDEX accounts_by_email ON accounts (email_normalized);

CREATE INDEX accounts_by_language ON accounts (language) WHERE verified_at IS NOT NULL;

CREATE UNIQUE INDEX accounts_by_username ON accounts (username);

CREATE INDEX accounts_suspended ON accounts (suspended_until) WHERE suspended_until IS NOT NULL;

CREATE TRIGGER audience_accounts_added AFTER INSERT ON accounts WHEN NEW.verified_at IS NOT NULL
BEGIN
  INSERT INTO audience_accounts (account_id, language, used_day)
  VALUES (NEW.account_id, NEW.language, NEW.verified_at / 86400000);
END;

CREATE TRIGGER audience_accounts_changed AFTER UPDATE OF verified_at, language ON accounts
WHEN NEW.verified_at IS NOT NULL AND (OLD.verified_at IS NULL OR OLD.language <> NEW.language)
BEGIN
  INSERT INTO audience_accounts (account_id, language, used_day)
  VALUES (NEW.account_id, NEW.language, NEW.verified_at / 86400000)
  ON CONFLICT DO UPDATE SET language = excluded.language;
END;

CREATE TABLE audience_accounts (
  account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
  language TEXT NOT NULL,
  used_day INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audience_accounts_by_day ON audience_accounts (language, used_day, account_id);

CREATE TRIGGER audience_counts_added AFTER INSERT ON audience_accounts
BEGIN
  INSERT INTO audience_counts (language, used_day, count) VALUES (NEW.language, NEW.used_day, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER audience_counts_changed AFTER UPDATE OF language, used_day ON audience_accounts
BEGIN
  UPDATE audience_counts SET count = count - 1 WHERE language = OLD.language AND used_day = OLD.used_day;
  INSERT INTO audience_counts (language, used_day, count) VALUES (NEW.language, NEW.used_day, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER audience_counts_removed AFTER DELETE ON audience_accounts
BEGIN UPDATE audience_counts SET count = count - 1 WHERE language = OLD.language AND used_day = OLD.used_day; END;

CREATE TABLE audience_counts (
  language TEXT NOT NULL,
  used_day INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (language, used_day)
) STRICT, WITHOUT ROWID;

CREATE TABLE consent_records (
  account_id BLOB NOT NULL,
  purpose TEXT NOT NULL CHECK (purpose IN ('activityData', 'location')),
  number INTEGER NOT NULL CHECK (number > 0),
  is_given INTEGER NOT NULL CHECK (is_given IN (0, 1)),
  wording_version INTEGER NOT NULL CHECK (wording_version > 0),
  at INTEGER NOT NULL,
  PRIMARY KEY (account_id, purpose, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER consent_records_are_history BEFORE UPDATE ON consent_records
BEGIN SELECT RAISE(ABORT, 'what somebody consented to does not change afterwards'); END;

CREATE TABLE device_tokens (
  token_hash BLOB NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  -- The session that the device logged in to last; what ends it for a reason of safety ends the token.
  session_id BLOB NOT NULL CHECK (length(session_id) = 16),
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX device_tokens_by_account ON device_tokens (account_id, last_used_at);

CREATE INDEX device_tokens_by_session ON device_tokens (session_id);

CREATE INDEX device_tokens_by_use ON device_tokens (last_used_at);

CREATE TABLE directory_entries (
  number INTEGER NOT NULL PRIMARY KEY,
  account_id BLOB NOT NULL UNIQUE REFERENCES accounts (account_id) ON DELETE CASCADE,
  -- The username, a line break, the nickname if there is one: folded, as they are compared with what somebody looks for.
  names TEXT NOT NULL
) STRICT;

CREATE TABLE "directory_suffixes" (
  -- 0: a name begins there, 1: a word does, 2: neither.
  rank INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 2),
  suffix TEXT NOT NULL,
  number INTEGER NOT NULL REFERENCES directory_entries (number) ON DELETE CASCADE,
  offset INTEGER NOT NULL,
  PRIMARY KEY (rank, suffix, number, offset)
) STRICT, WITHOUT ROWID;

CREATE INDEX directory_suffixes_by_entry ON directory_suffixes (number);

CREATE TABLE email_changes (
  change_id BLOB NOT NULL PRIMARY KEY CHECK (length(change_id) = 16),
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  -- The new address.
  email TEXT NOT NULL,
  email_normalized TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  replaced_at INTEGER,
  used_at INTEGER,
  -- The address that the account had until then, for the notice.
  former_email TEXT, former_normalized TEXT, undone_at INTEGER,
  CHECK ((used_at IS NULL) = (former_email IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX email_changes_by_account ON email_changes (account_id, created_at);

CREATE INDEX email_changes_by_email ON email_changes (email_normalized, created_at);

CREATE INDEX email_changes_by_expiry ON email_changes (expires_at);

CREATE INDEX email_changes_by_former_email ON email_changes (former_normalized) WHERE former_normalized IS NOT NULL;

CREATE TABLE ended_sessions (
  session_id BLOB NOT NULL PRIMARY KEY CHECK (length(session_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  ended_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ended_sessions_by_end ON ended_sessions (ended_at);

CREATE TABLE external_identities (
  identity_id BLOB NOT NULL PRIMARY KEY CHECK (length(identity_id) = 16),
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL CHECK (subject <> ''),
  linked_at INTEGER NOT NULL,
  last_used_at INTEGER, alert_id BLOB REFERENCES login_alerts (alert_id) ON DELETE SET NULL,
  UNIQUE (issuer, subject),
  UNIQUE (account_id, provider)
) STRICT, WITHOUT ROWID;

CREATE INDEX external_identities_by_alert ON external_identities (alert_id) WHERE alert_id IS NOT NULL;

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

CREATE INDEX external_logins_by_account ON external_logins (account_id) WHERE account_id IS NOT NULL;

CREATE INDEX external_logins_by_expiry ON external_logins (expires_at);

CREATE INDEX external_logins_by_session ON external_logins (session_id) WHERE session_id IS NOT NULL;

CREATE TABLE incidents (
  incident_id BLOB NOT NULL PRIMARY KEY CHECK (length(incident_id) = 16),
  pattern TEXT NOT NULL,
  -- What the events have in common: an account, a keyed hash of what was typed for one, an address.
  subject TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
  account_id BLOB REFERENCES accounts (account_id) ON DELETE SET NULL,
  address TEXT,
  count INTEGER NOT NULL CHECK (count > 0),
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  owner_notified_at INTEGER,
  administrators_notified_at INTEGER,
  closed_at INTEGER,
  closed_by BLOB CHECK (length(closed_by) = 16),
  comment TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX incidents_by_account ON incidents (account_id);

CREATE INDEX incidents_by_notification ON incidents (administrators_notified_at)
WHERE administrators_notified_at IS NOT NULL;

CREATE INDEX incidents_by_pattern ON incidents (pattern);

CREATE INDEX incidents_by_severity ON incidents (severity);

CREATE INDEX incidents_by_time ON incidents (last_at);

CREATE UNIQUE INDEX incidents_open ON incidents (pattern, subject) WHERE closed_at IS NULL;

CREATE TABLE known_devices (
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  device_key BLOB NOT NULL CHECK (length(device_key) = 32),
  last_seen_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, device_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX known_devices_by_time ON known_devices (last_seen_at);

CREATE TABLE known_places (
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  network TEXT NOT NULL,
  country_code TEXT,
  -- Of the city or the country; for the judgement alone.
  latitude REAL,
  longitude REAL,
  last_seen_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, network),
  CHECK ((latitude IS NULL) = (longitude IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX known_places_by_time ON known_places (last_seen_at);

CREATE TABLE login_alert_sessions (
  alert_id BLOB NOT NULL,
  session_id BLOB NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
  PRIMARY KEY (alert_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX login_alert_sessions_by_session ON login_alert_sessions (session_id);

CREATE TABLE login_alerts (
  alert_id BLOB NOT NULL PRIMARY KEY CHECK (length(alert_id) = 16),
  account_id BLOB NOT NULL,
  level TEXT NOT NULL CHECK (level IN ('notice', 'suspicious', 'high')),
  -- Names, a blank between.
  reasons TEXT NOT NULL,
  device TEXT,
  user_agent TEXT,
  address TEXT,
  device_key BLOB NOT NULL CHECK (length(device_key) = 32),
  network TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  answer TEXT CHECK (answer IN ('confirm', 'close')),
  answered_at INTEGER, lapsed_at INTEGER, needed_at INTEGER NOT NULL DEFAULT 0, is_by_password INTEGER NOT NULL DEFAULT 1 CHECK (is_by_password IN (0, 1)),
  CHECK ((answer IS NULL) = (answered_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX login_alerts_by_account ON login_alerts (account_id, alert_id);

CREATE INDEX login_alerts_by_level ON login_alerts (account_id, level, created_at);

CREATE INDEX login_alerts_by_need ON login_alerts (needed_at);

CREATE INDEX login_alerts_closed ON login_alerts (account_id, created_at) WHERE answer = 'close';

CREATE INDEX login_alerts_unlapsed ON login_alerts (expires_at)
  WHERE answered_at IS NULL AND level = 'suspicious' AND lapsed_at IS NULL;

CREATE TABLE login_failures (
  account_key BLOB NOT NULL CHECK (length(account_key) = 32),
  address_key BLOB NOT NULL CHECK (length(address_key) = 32),
  failures INTEGER NOT NULL CHECK (failures > 0),
  last_at INTEGER NOT NULL,
  PRIMARY KEY (account_key, address_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX login_failures_by_address ON login_failures (address_key, last_at);

CREATE INDEX login_failures_by_time ON login_failures (last_at);

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

CREATE INDEX password_recoveries_by_account ON password_recoveries (account_id);

CREATE INDEX password_recoveries_by_address ON password_recoveries (address_key, created_at);

CREATE INDEX password_recoveries_by_email ON password_recoveries (email_key, created_at);

CREATE INDEX password_recoveries_by_expiry ON password_recoveries (expires_at);

CREATE TABLE personal_access_tokens (
  token_id BLOB NOT NULL PRIMARY KEY CHECK (length(token_id) = 16),
  account_id BLOB NOT NULL,
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

CREATE INDEX personal_access_tokens_by_account ON personal_access_tokens (account_id, token_id);

CREATE INDEX personal_access_tokens_by_expiry ON personal_access_tokens (expires_at) WHERE expires_at IS NOT NULL;

CREATE UNIQUE INDEX personal_access_tokens_by_name ON personal_access_tokens (account_id, name) WHERE revoked_at IS NULL;

CREATE INDEX personal_access_tokens_by_revocation ON personal_access_tokens (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE photos (
  account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
  media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
  content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 524288)
) STRICT;

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
  next_at INTEGER NOT NULL DEFAULT 0, ends_at INTEGER CHECK (ends_at IS NULL OR token_kind = 'access_token'),
  CHECK ((tries = 0) = (first_tried_at IS NULL)),
  CHECK (tries = 0 OR identity_id IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX provider_grants_to_give_back ON provider_grants (provider, next_at) WHERE identity_id IS NULL;

CREATE TABLE public_links (
  account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
  link_id BLOB NOT NULL UNIQUE CHECK (length(link_id) = 16),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE refresh_tokens (
  token_hash BLOB NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
  session_id BLOB NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
  parent_hash BLOB UNIQUE CHECK (length(parent_hash) = 32),
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (session_id, expires_at);

CREATE UNIQUE INDEX refresh_tokens_unused ON refresh_tokens (session_id) WHERE used_at IS NULL;

CREATE TABLE register_backlog (
  account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE register_openings (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  number INTEGER NOT NULL REFERENCES register_records (number),
  -- the profile as it was registered, canonical JSON
  profile TEXT NOT NULL,
  record TEXT NOT NULL,
  salt BLOB NOT NULL CHECK (length(salt) = 32),
  own_salt BLOB NOT NULL CHECK (length(own_salt) = 32),
  PRIMARY KEY (account_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE register_records (
  -- 1, 2, 3, … without gaps
  number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
  kind TEXT NOT NULL CHECK (kind IN ('accountCreated', 'profileChanged', 'accountDeleted')),
  registered_at INTEGER NOT NULL,
  commitment BLOB NOT NULL CHECK (length(commitment) = 32)
) STRICT;

CREATE TRIGGER register_records_are_not_changed BEFORE UPDATE ON register_records
BEGIN SELECT RAISE(ABORT, 'a record is never changed'); END;

CREATE TRIGGER register_records_are_not_deleted BEFORE DELETE ON register_records
BEGIN SELECT RAISE(ABORT, 'a record is never deleted'); END;

CREATE TRIGGER register_records_have_no_gaps BEFORE INSERT ON register_records
WHEN NEW.number IS NOT (SELECT ifnull(max(number) + 1, 1) FROM register_records)
BEGIN SELECT RAISE(ABORT, 'a record comes behind the last one'); END;

CREATE TABLE relations (
  -- As this account sees it.
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  other_account_id BLOB NOT NULL CHECK (length(other_account_id) = 16),
  is_friend INTEGER NOT NULL CHECK (is_friend IN (0, 1)),
  friend_request TEXT CHECK (friend_request IN ('received', 'sent')),
  friend_request_id BLOB CHECK (length(friend_request_id) = 16),
  follows INTEGER NOT NULL CHECK (follows IN (0, 1)),
  is_followed_by INTEGER NOT NULL CHECK (is_followed_by IN (0, 1)),
  follow_request_sent_id BLOB CHECK (length(follow_request_sent_id) = 16),
  follow_request_received_id BLOB CHECK (length(follow_request_received_id) = 16),
  is_blocked INTEGER NOT NULL CHECK (is_blocked IN (0, 1)),
  is_blocked_by_other INTEGER NOT NULL CHECK (is_blocked_by_other IN (0, 1)),
  -- One of which nothing is left stays, so that what arrives late of it has no effect.
  revision INTEGER NOT NULL,
  PRIMARY KEY (account_id, other_account_id),
  CHECK (account_id <> other_account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX relations_by_other_account ON relations (other_account_id);

CREATE TABLE reserved_usernames (
  username_key BLOB NOT NULL PRIMARY KEY CHECK (length(username_key) = 32),
  until INTEGER NOT NULL
, account_id BLOB CHECK (length(account_id) = 16)) STRICT, WITHOUT ROWID;

CREATE INDEX reserved_usernames_by_account ON reserved_usernames (account_id, until) WHERE account_id IS NOT NULL;

CREATE INDEX reserved_usernames_by_end ON reserved_usernames (until);

CREATE TABLE secrets (
  kind TEXT NOT NULL,
  -- An account, or what else the kind is about.
  owner BLOB NOT NULL CHECK (length(owner) = 16),
  sealed BLOB NOT NULL,
  written_at INTEGER NOT NULL,
  PRIMARY KEY (kind, owner)
) STRICT, WITHOUT ROWID;

CREATE INDEX secrets_by_key ON secrets (kind, substr(sealed, 1, 6));

CREATE INDEX secrets_by_owner ON secrets (owner);

CREATE TABLE security_event_counts (
  -- When a day of UTC starts.
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  severity TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  PRIMARY KEY (day, kind, severity)
) STRICT, WITHOUT ROWID;

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
, subscriber BLOB) STRICT, WITHOUT ROWID;

CREATE INDEX security_events_by_account ON security_events (account_id, at);

CREATE INDEX security_events_by_kind ON security_events (kind, at);

CREATE INDEX security_events_by_severity ON security_events (severity, at);

CREATE INDEX security_events_by_subscriber_kind ON security_events (subscriber, kind, at) WHERE subscriber IS NOT NULL;

CREATE INDEX security_events_by_time ON security_events (at);

CREATE TRIGGER security_event_counts_raised AFTER INSERT ON security_events
BEGIN
  INSERT INTO security_event_counts (day, kind, severity, count)
  VALUES (NEW.at - NEW.at % 86400000, NEW.kind, NEW.severity, 1)
  ON CONFLICT (day, kind, severity) DO UPDATE SET count = count + 1;
END;

CREATE TABLE security_mails (
  mail_id BLOB NOT NULL PRIMARY KEY CHECK (length(mail_id) = 16),
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  incident_id BLOB REFERENCES incidents (incident_id) ON DELETE CASCADE,
  report_id BLOB REFERENCES security_reports (report_id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  CHECK ((incident_id IS NULL) <> (report_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX security_mails_by_account ON security_mails (account_id);

CREATE INDEX security_mails_by_incident ON security_mails (incident_id) WHERE incident_id IS NOT NULL;

CREATE INDEX security_mails_by_report ON security_mails (report_id) WHERE report_id IS NOT NULL;

CREATE INDEX security_mails_by_time ON security_mails (created_at);

CREATE TABLE security_reports (
  report_id BLOB NOT NULL PRIMARY KEY CHECK (length(report_id) = 16),
  period TEXT NOT NULL CHECK (period IN ('daily', 'weekly')),
  first_day INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- Numbers and ids as JSON.
  content TEXT NOT NULL CHECK (json_valid(content)),
  -- One report of a period, however often it is begun.
  UNIQUE (period, first_day)
) STRICT, WITHOUT ROWID;

CREATE INDEX security_reports_by_time ON security_reports (created_at);

CREATE TABLE session_surpluses (
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  is_in_doubt INTEGER NOT NULL CHECK (is_in_doubt IN (0, 1)),
  seen_before INTEGER NOT NULL,
  PRIMARY KEY (account_id, is_in_doubt)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  session_id BLOB NOT NULL PRIMARY KEY CHECK (length(session_id) = 16),
  account_id BLOB NOT NULL,
  device TEXT,
  address TEXT,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  -- 30 days after the last refresh.
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  revocation_reason TEXT, last_seen_at INTEGER NOT NULL DEFAULT 0, last_seen_address TEXT, token_generation INTEGER NOT NULL DEFAULT 0, outdated_at INTEGER,
  CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (account_id);

CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE INDEX sessions_by_outdating ON sessions (outdated_at) WHERE outdated_at IS NOT NULL;

CREATE INDEX sessions_by_revocation ON sessions (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE INDEX sessions_live ON sessions (account_id, session_id) WHERE revoked_at IS NULL;

CREATE TRIGGER audience_accounts_logged_in AFTER INSERT ON sessions
BEGIN
  UPDATE audience_accounts SET used_day = max(NEW.created_at, NEW.last_seen_at) / 86400000
  WHERE account_id = NEW.account_id AND used_day < max(NEW.created_at, NEW.last_seen_at) / 86400000;
END;

CREATE TRIGGER audience_accounts_seen AFTER UPDATE OF last_seen_at ON sessions
WHEN NEW.last_seen_at / 86400000 > OLD.last_seen_at / 86400000
BEGIN
  UPDATE audience_accounts SET used_day = NEW.last_seen_at / 86400000
  WHERE account_id = NEW.account_id AND used_day < NEW.last_seen_at / 86400000;
END;

CREATE TABLE suspension_links (
  link_id BLOB NOT NULL PRIMARY KEY CHECK (length(link_id) = 16),
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX suspension_links_by_account ON suspension_links (account_id, created_at);

CREATE INDEX suspension_links_by_expiry ON suspension_links (expires_at);

CREATE TABLE suspensions (
  suspension_id BLOB NOT NULL PRIMARY KEY CHECK (length(suspension_id) = 16),
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  -- When it was lifted, where it was.
  until INTEGER NOT NULL,
  reason TEXT NOT NULL,
  can_appeal INTEGER NOT NULL CHECK (can_appeal IN (0, 1)),
  -- Counts all that social decided about the account: late or repeated events never set it back.
  revision INTEGER NOT NULL,
  appeal TEXT,
  appealed_at INTEGER,
  CHECK ((appeal IS NULL) = (appealed_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX suspensions_by_account ON suspensions (account_id, revision);

CREATE INDEX suspensions_by_end ON suspensions (until);

CREATE TABLE unpublished_photos (
  account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE verification_links (
  link_id BLOB NOT NULL PRIMARY KEY CHECK (length(link_id) = 16),
  account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
  email_normalized TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  replaced_at INTEGER,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX verification_links_by_account ON verification_links (account_id, created_at);

CREATE INDEX verification_links_by_expiry ON verification_links (expires_at);
