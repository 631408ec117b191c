import GRDB
import IdentityContract
import Operations
import Storage

/// What an administrator is notified of by mail, as it is kept: its words are chosen when it is sent.
struct SecurityMailRecord: Sendable {
  let accountID: AccountID
  let incidentID: IncidentID?
  let reportID: SecurityReportID?

  init(_ row: Row) {
    accountID = row["account_id"]
    incidentID = row["incident_id"]
    reportID = row["report_id"]
  }
}

/// What administrators are notified of by mail.
enum SecurityMailStore {
  /// The mail of that id.
  static func find(_ id: SecurityMailID, in database: Database) throws -> SecurityMailRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM security_mails WHERE mail_id = ?"), arguments: [id])
      .map(SecurityMailRecord.init)
  }

  /// A mail about an incident for that administrator; its words are chosen when it is sent.
  static func add(to administrator: AccountID, about incident: IncidentID, _ transaction: Transaction) throws -> SecurityMailID {
    try add(to: administrator, incident: incident, report: nil, transaction)
  }

  /// A mail with a report for that administrator.
  static func add(
    to administrator: AccountID, with report: SecurityReportID, _ transaction: Transaction
  ) throws -> SecurityMailID {
    try add(to: administrator, incident: nil, report: report, transaction)
  }

  private static func add(
    to administrator: AccountID, incident: IncidentID?, report: SecurityReportID?, _ transaction: Transaction
  ) throws -> SecurityMailID {
    let id = SecurityMailID()
    try transaction.database.cachedStatement(
      sql: "INSERT INTO security_mails (mail_id, account_id, incident_id, report_id, created_at) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [id, administrator, incident, report, transaction.now])
    return id
  }
}
