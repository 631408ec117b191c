import GRDB
import IdentityContract
import Operations
import Storage

/// A report as it is kept.
struct ReportRecord: Sendable {
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

extension Database {
  /// The report of that id.
  func securityReport(_ id: SecurityReportID) throws -> ReportRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM security_reports WHERE report_id = ?"), arguments: [id])
      .map(ReportRecord.init)
  }

  /// Reports, the newest first: ids grow with time.
  func securityReports(of period: ReportPeriod?, before last: SecurityReportID?, limit: Int) throws -> [ReportRecord] {
    try Row.fetchAll(
      cachedStatement(
        sql: """
          SELECT * FROM security_reports WHERE (?1 IS NULL OR period = ?1) AND (?2 IS NULL OR report_id < ?2)
          ORDER BY report_id DESC LIMIT ?3
          """),
      arguments: [period, last, limit]
    ).map(ReportRecord.init)
  }

  /// The spans that are over and have no report; none before there is an account.
  func dueReports(_ schedule: ReportSchedule, now: Instant) throws -> [ReportSpan] {
    guard let began = try Instant.fetchOne(self, sql: "SELECT created_at FROM accounts ORDER BY account_id LIMIT 1") else {
      return []
    }
    let made = try Row.fetchAll(
      cachedStatement(sql: "SELECT period, first_day FROM security_reports WHERE created_at > ?"),
      arguments: [now.adding(seconds: -ReportRule.keptSeconds)]
    ).map { ReportSpan(period: $0["period"], firstDay: $0["first_day"]) }
    return ReportRule.due(schedule, now: now, began: began, made: Set(made))
  }

  /// What happened in a span.
  fileprivate func reportContent(_ span: ReportSpan) throws -> ReportContent {
    let (now, before) = (span.instants, span.before.instants)
    let counts = try Row.fetchAll(
      cachedStatement(
        sql: """
          SELECT kind, severity, SUM(at >= ?2) AS count, SUM(at < ?2) AS count_before FROM security_events
          WHERE at >= ?1 AND at < ?3 GROUP BY kind, severity
          """),
      arguments: [before.lowerBound, now.lowerBound, now.upperBound]
    ).map { SecurityCount(kind: $0["kind"], severity: $0["severity"], count: $0["count"], countBefore: $0["count_before"]) }
    let incidents = try Row.fetchAll(
      cachedStatement(
        sql: """
          SELECT * FROM incidents WHERE last_at >= ?1 AND first_at < ?2
          ORDER BY severity = 'critical' DESC, count DESC, incident_id LIMIT ?3
          """),
      arguments: [now.lowerBound, now.upperBound, ReportRule.maxIncidents]
    ).map(IncidentRecord.init)
    func incidentCount(_ instants: Range<Instant>) throws -> Int {
      try Int.fetchOne(
        cachedStatement(sql: "SELECT COUNT(*) FROM incidents WHERE last_at >= ? AND first_at < ?"),
        arguments: [instants.lowerBound, instants.upperBound]) ?? 0
    }
    return ReportContent(
      counts: ReportRule.ranked(counts), incidentCount: try incidentCount(now), incidentCountBefore: try incidentCount(before),
      incidents: ReportRule.ranked(
        incidents.map {
          ReportedIncident(
            incidentID: $0.id, pattern: $0.pattern, severity: $0.severity, accountID: $0.accountID, count: $0.count)
        }))
  }
}

extension Transaction {
  /// Makes the report of a span and tells the administrators, unless that was done before: all of it or nothing, so that a process
  /// that ends in between leaves neither half a report nor two.
  func makeReport(_ span: ReportSpan) throws {
    let id = SecurityReportID()
    let content = try database.reportContent(span)
    try database.cachedStatement(
      sql: """
        INSERT INTO security_reports (report_id, period, first_day, created_at, content) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (period, first_day) DO NOTHING
        """
    ).execute(arguments: [id, span.period, span.firstDay, now, String(decoding: content.json, as: UTF8.self)])
    guard database.changesCount > 0 else { return }
    for administrator in try database.administrators() {
      let mail = try addSecurityMail(to: administrator.id, with: id)
      try publish(SecurityReportReady(mailID: mail, accountID: administrator.id))
    }
  }
}
