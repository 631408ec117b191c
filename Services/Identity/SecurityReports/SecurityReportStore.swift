import GRDB
import IdentityContract
import Operations
import Storage

/// A report as it is kept.
struct SecurityReportRecord: Sendable {
  let id: SecurityReportID
  let span: ReportSpan
  let createdAt: Instant
  let content: ReportContent

  init(_ row: Row) throws {
    id = row["report_id"]
    span = ReportSpan(period: row["period"], firstDay: row["first_day"])
    createdAt = row["created_at"]
    content = try ReportContent.decode(Array((row["content"] as String).utf8))
  }
}

/// The security reports.
enum SecurityReportStore {
  /// Its table, and that of what is mailed to administrators.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "security reports") { database in
      try database.execute(
        sql: """
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

          -- The notice of an administrator, so that a mail in the queue only has to refer to it.
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
          """)
    }
  }

  /// The report of that id.
  static func find(_ id: SecurityReportID, in database: Database) throws -> SecurityReportRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM security_reports WHERE report_id = ?"), arguments: [id])
      .map(SecurityReportRecord.init)
  }

  /// Reports, the newest first: ids grow with time.
  static func list(
    of period: ReportPeriod?, before last: SecurityReportID?, limit: Int, in database: Database
  ) throws -> [SecurityReportRecord] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT * FROM security_reports WHERE report_id < ?2 AND (?1 IS NULL OR period = ?1)
          ORDER BY report_id DESC LIMIT ?3
          """),
      arguments: [period, last ?? .last, limit]
    ).map(SecurityReportRecord.init)
  }

  /// The spans that are over and have no report; none before there is an account.
  static func due(_ schedule: ReportSchedule, now: Instant, in database: Database) throws -> [ReportSpan] {
    guard let began = try Instant.fetchOne(database, sql: "SELECT created_at FROM accounts ORDER BY account_id LIMIT 1") else {
      return []
    }
    let made = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT period, first_day FROM security_reports WHERE created_at > ?"),
      arguments: [now.adding(seconds: -SecurityReportRules.keptSeconds)]
    ).map { ReportSpan(period: $0["period"], firstDay: $0["first_day"]) }
    return SecurityReportRules.due(schedule, now: now, began: began, made: Set(made))
  }

  /// What happened in a span.
  static func content(_ span: ReportSpan, in database: Database) throws -> ReportContent {
    let (now, before) = (span.instants, span.before.instants)
    let incidents = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT * FROM incidents WHERE last_at >= ?1 AND first_at < ?2
          ORDER BY severity = 'critical' DESC, count DESC, incident_id LIMIT ?3
          """),
      arguments: [now.lowerBound, now.upperBound, SecurityReportRules.maxIncidents]
    ).map(IncidentRecord.init)
    func incidentCount(_ instants: Range<Instant>) throws -> Int {
      try Int.fetchOne(
        database.cachedStatement(sql: "SELECT COUNT(*) FROM incidents WHERE last_at >= ? AND first_at < ?"),
        arguments: [instants.lowerBound, instants.upperBound]) ?? 0
    }
    return ReportContent(
      counts: SecurityReportRules.ranked(try SecurityEventCountStore.counts(span, in: database)),
      incidentCount: try incidentCount(now),
      incidentCountBefore: try incidentCount(before),
      incidents: SecurityReportRules.ranked(
        incidents.map {
          ReportedIncident(
            incidentID: $0.id, pattern: $0.pattern, severity: $0.severity, accountID: $0.accountID, count: $0.count)
        }))
  }

  /// Makes the report of a span and notifies the administrators, unless that was done before. All of it is one transaction, so that a crash
  /// leaves neither half a report nor two.
  static func make(_ span: ReportSpan, _ content: ReportContent, _ transaction: Transaction) throws {
    let id = SecurityReportID()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO security_reports (report_id, period, first_day, created_at, content) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (period, first_day) DO NOTHING
        """
    ).execute(arguments: [id, span.period, span.firstDay, transaction.now, String(decoding: content.json, as: UTF8.self)])
    guard transaction.database.changesCount > 0 else { return }
    for administrator in try AdministratorStore.all(in: transaction.database) {
      let mail = try SecurityMailStore.add(to: administrator.id, with: id, transaction)
      try transaction.publish(SecurityReportReady(mailID: mail, accountID: administrator.id))
    }
  }
}
