/// What accounts were given for their settings, and the record of consents.
enum SettingsSchema {
  /// Accounts from before have consented to nothing and are not listed: nobody asked them.
  static let first = """
    ALTER TABLE accounts ADD COLUMN mutes_help INTEGER NOT NULL DEFAULT 0 CHECK (mutes_help IN (0, 1));
    ALTER TABLE accounts ADD COLUMN directory_visibility TEXT NOT NULL DEFAULT 'hidden'
      CHECK (directory_visibility IN ('hidden', 'listed'));
    -- What it consents to now, purposes with a blank between; how it came to that is in consent_records.
    ALTER TABLE accounts ADD COLUMN consents TEXT NOT NULL DEFAULT '';

    -- Each time a consent was given or withdrawn, so that it can be shown (GDPR, article 7, paragraph 1).
    CREATE TABLE consent_records (
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      purpose TEXT NOT NULL CHECK (purpose IN ('activityData', 'location')),
      number INTEGER NOT NULL CHECK (number > 0),
      is_given INTEGER NOT NULL CHECK (is_given IN (0, 1)),
      wording_version INTEGER NOT NULL CHECK (wording_version > 0),
      at INTEGER NOT NULL,
      PRIMARY KEY (account_id, purpose, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER consent_records_are_history BEFORE UPDATE ON consent_records
    BEGIN SELECT RAISE(ABORT, 'what somebody consented to does not change afterwards'); END;
    """
}
