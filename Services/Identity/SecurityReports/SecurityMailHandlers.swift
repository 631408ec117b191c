import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// What stands in the mails to administrators.
enum SecurityMailHandlers {
  static func get(_ input: GetSecurityMail.Input, _ call: OpenCall, _ database: Database) throws -> SecurityMail {
    guard let mail = try SecurityMailStore.find(input.mailID, in: database),
      let reader = try AccountStore.find(mail.accountID, in: database)
    else {
      throw Failure(RequestFailure.notFound)
    }
    let incident = try mail.incidentID.flatMap { try IncidentStore.find($0, in: database) }
    // Whoever was dismissed reads that much, and no more.
    if let incident, reader.isAdministrator || incident.isDismissal(of: reader.id) {
      let own = reader.isAdministrator ? nil : SecurityWords.ownRecommendation(incident.pattern, reader.language)
      return incident.mail(to: reader, recommending: own)
    }
    guard reader.isAdministrator else { throw Failure(RequestFailure.notFound) }
    if let report = try mail.reportID.flatMap({ try SecurityReportStore.find($0, in: database) }) {
      return try report.shown(reader.language, database).mail(to: reader)
    }
    throw Failure(RequestFailure.notFound)
  }
}

extension IncidentRecord {
  /// Whether it is that this account administers no more.
  fileprivate func isDismissal(of account: AccountID) -> Bool { pattern == .administratorDismissed && accountID == account }
}
