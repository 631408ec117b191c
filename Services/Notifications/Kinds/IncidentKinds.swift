import IdentityContract
import NotificationsContract
import Operations
import ServiceKit

extension NotificationSpec {
  static let ofIncidents: [NotificationSpec] = [accountLocked, tokensReused, everythingRevoked, incidentRaised, report]

  private static let accountLocked = NotificationSpec(
    "accountLocked", .security, .warning, on: AccountProtected.self,
    when: { $0.measure != .everythingRevoked && $0.pattern != .tokensReused }, about: { $0.incidentID }, to: { $0.accountID },
    inbox: .init(), mail: MailSpec("locked", from: .notice, actions: [.button]))

  private static let tokensReused = NotificationSpec(
    "tokensReused", .security, .warning, on: AccountProtected.self,
    when: { $0.measure != .everythingRevoked && $0.pattern == .tokensReused }, about: { $0.incidentID }, to: { $0.accountID },
    inbox: .init(), mail: MailSpec(from: .notice, actions: [.button]))

  /// Of an incident that grows graver its owner is notified once more.
  private static let everythingRevoked = NotificationSpec(
    "everythingRevoked", .security, .critical, on: AccountProtected.self, when: { $0.measure == .everythingRevoked },
    about: { $0.incidentID }, to: { $0.accountID },
    inbox: .init(source: { "\($0.incidentID)/\(IncidentMeasure.everythingRevoked)" }),
    mail: MailSpec(from: .notice, actions: [.button]))

  /// To each administrator.
  private static let incidentRaised = NotificationSpec(
    "incidentRaised", .administration, .critical, on: AdministratorAlerted.self, about: { $0.mailID }, to: { $0.accountID },
    inbox: .init(values: [.text("title") { $0.title }], links: { NotificationLinks(incidentID: ID(linking: $0.incidentID)) }),
    mail: MailSpec("incident", from: .security))

  /// To each administrator.
  private static let report = NotificationSpec(
    "report", .administration, on: SecurityReportReady.self, about: { $0.mailID }, to: { $0.accountID },
    mail: MailSpec(from: .security),
    delivery: DeliverySpec(defaults: [.email], urgency: .low))
}

extension MailSource {
  /// What identity sends to administrators.
  fileprivate static let security = MailSource(["url", "title", "lines", "recommendations"]) { job, reader in
    let mail = try await reader.identity.request(GetSecurityMail.self, .init(mailID: job.subject()))
    return MailContent(
      email: mail.email, username: mail.username, language: mail.language,
      values: [
        "url": .text(reader.publicURL), "title": .text(mail.title), "lines": .lines(mail.lines),
        "recommendations": .lines(mail.recommendations),
      ])
  }
}
