import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Security reports: listed and read by administrators.
enum SecurityReportHandlers {
  static func list(_ input: ListSecurityReports.Input, _ call: AccountCall, _ database: Database) throws -> Page<SecurityReport> {
    let administrator = try call.liveAdministrator(database)
    let page = try call.page(input)
    let reports = try SecurityReportStore.list(
      of: input.period, before: page.cursor(SecurityReportID.init(text:)), limit: page.fetchLimit, in: database)
    return try page.page(of: reports, key: \.id) { try $0.shown(administrator.language, database) }
  }

  static func get(_ input: GetSecurityReport.Input, _ call: AccountCall, _ database: Database) throws -> SecurityReport {
    let administrator = try call.liveAdministrator(database)
    guard let report = try SecurityReportStore.find(input.reportID, in: database) else { throw Failure(RequestFailure.notFound) }
    return try report.shown(administrator.language, database)
  }
}

extension SecurityReportRecord {
  /// What administrators see.
  func shown(_ language: Language, _ database: Database) throws -> SecurityReport {
    let title = SecurityWords.text(
      "report.\(span.period.rawValue)", language,
      ["day": .text(span.firstDay.description), "lastDay": .text(span.lastDay.description)])
    let incidents = try content.incidents.enumerated().map { index, incident in
      // Whom and where: as long as the incident itself shows it, which forgets it with the account.
      let subject = try IncidentStore.find(incident.incidentID, in: database)
      return RankedIncident(
        rank: index + 1, incidentID: incident.incidentID, pattern: incident.pattern,
        title: SecurityWords.title(incident.pattern, language), severity: incident.severity, accountID: incident.accountID,
        username: try incident.accountID.flatMap { try AccountStore.find($0, in: database)?.username }, address: subject?.address,
        provider: subject?.provider,
        count: incident.count, recommendation: SecurityWords.recommendation(incident.pattern, language))
    }
    return SecurityReport(
      id: id, period: span.period, firstDay: span.firstDay, lastDay: span.lastDay, createdAt: createdAt, title: title,
      counts: content.counts, incidentCount: content.incidentCount, incidentCountBefore: content.incidentCountBefore,
      incidents: incidents)
  }
}

extension SecurityReport {
  /// What an administrator reads of it in a mail: each recommendation once, in the order of the incidents. Accounts stand there by their
  /// ids, as in the mails about incidents.
  func mail(to reader: AccountRecord) -> SecurityMail {
    let language = reader.language
    func line(_ key: String, _ parameters: [String: Parameter]) -> String {
      SecurityWords.text("report.line.\(key)", language, parameters)
    }
    let ranked = incidents.map { incident in
      let subject =
        if let account = incident.accountID {
          line("incident.account", ["accountID": .text(account.description)])
        } else if let address = incident.address {
          line("incident.address", ["address": .text(address)])
        } else if let provider = incident.provider {
          line("incident.provider", ["provider": .text(provider)])
        } else {
          ""
        }
      return line(
        "incident",
        [
          "rank": .number(incident.rank), "title": .text(incident.title), "count": .number(incident.count),
          "severity": .text(SecurityWords.severity(incident.severity, language)), "subject": .text(subject),
        ])
    }
    let happened = counts.map { count in
      line(
        "count",
        [
          "kind": .text(SecurityWords.events(count.kind, language)), "count": .number(count.count),
          "before": .number(count.countBefore),
        ])
    }
    var recommendations: [String] = []
    for incident in incidents where !recommendations.contains(incident.recommendation) {
      recommendations.append(incident.recommendation)
    }
    let total = line("incidents", ["count": .number(incidentCount), "before": .number(incidentCountBefore)])
    return SecurityMail(
      email: reader.email, username: reader.username, language: language, title: title, lines: [total] + ranked + happened,
      recommendations: recommendations)
  }
}
