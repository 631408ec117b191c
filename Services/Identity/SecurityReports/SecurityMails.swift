import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves what stands in the mails to administrators, to the service that sends them.
  mutating func serveSecurityMails() {
    serve(
      ReadSecurityMail.self,
      read: { input, _, database in
        let row = try Row.fetchOne(
          database.cachedStatement(sql: "SELECT * FROM security_mails WHERE mail_id = ?"), arguments: [input.mailID])
        guard let row, let reader = try database.account(row["account_id"] as AccountID) else {
          throw Failure(RequestFailure.notFound)
        }
        let incident = try (row["incident_id"] as IncidentID?).flatMap { try database.incident($0) }
        // Whoever was dismissed is told that much, and no more.
        if let incident, reader.isAdministrator || incident.isDismissal(of: reader.id) {
          let own = reader.isAdministrator ? nil : SecurityWords.ownRecommendation(incident.pattern, reader.language)
          return incident.mail(to: reader, recommending: own)
        }
        guard reader.isAdministrator else { throw Failure(RequestFailure.notFound) }
        if let report = try (row["report_id"] as SecurityReportID?).flatMap({ try database.securityReport($0) }) {
          return try report.shown(reader.language, database).mail(to: reader)
        }
        throw Failure(RequestFailure.notFound)
      })
  }
}

extension IncidentRecord {
  /// Whether it is that this account administers no more.
  fileprivate func isDismissal(of account: AccountID) -> Bool { pattern == .administratorDismissed && accountID == account }
}

extension Transaction {
  /// A mail about an incident for that administrator; its words are chosen when it is sent.
  func addSecurityMail(to administrator: AccountID, about incident: IncidentID) throws -> SecurityMailID {
    try addSecurityMail(to: administrator, incident: incident, report: nil)
  }

  /// A mail with a report for that administrator.
  func addSecurityMail(to administrator: AccountID, with report: SecurityReportID) throws -> SecurityMailID {
    try addSecurityMail(to: administrator, incident: nil, report: report)
  }

  private func addSecurityMail(
    to administrator: AccountID, incident: IncidentID?, report: SecurityReportID?
  ) throws -> SecurityMailID {
    let id = SecurityMailID()
    try database.cachedStatement(
      sql: "INSERT INTO security_mails (mail_id, account_id, incident_id, report_id, created_at) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [id, administrator, incident, report, now])
    return id
  }
}
