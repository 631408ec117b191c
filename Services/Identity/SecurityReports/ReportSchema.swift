/// The tables of security reports and of what is mailed to administrators.
enum ReportSchema {
  static let first = """
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

    -- What an administrator is told of, so that a mail in the queue need name no more than this.
    CREATE TABLE security_mails (
      mail_id BLOB NOT NULL PRIMARY KEY CHECK (length(mail_id) = 16),
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      incident_id BLOB REFERENCES incidents (incident_id) ON DELETE CASCADE,
      report_id BLOB REFERENCES security_reports (report_id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL,
      CHECK ((incident_id IS NULL) <> (report_id IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX security_mails_by_time ON security_mails (created_at);
    CREATE INDEX security_mails_by_account ON security_mails (account_id);
    CREATE INDEX security_mails_by_incident ON security_mails (incident_id) WHERE incident_id IS NOT NULL;
    CREATE INDEX security_mails_by_report ON security_mails (report_id) WHERE report_id IS NOT NULL;
    """
}
