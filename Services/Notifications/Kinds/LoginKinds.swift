import IdentityContract
import NotificationsContract
import Operations
import ServiceKit

extension NotificationSpec {
  static let ofLogins: [NotificationSpec] = [loginNoticed, loginSuspicious, loginRefused]

  private static let loginNoticed = NotificationSpec(
    "loginNoticed", .logins, on: LoginAlertRaised.self, when: { $0.level == .notice }, about: { $0.alertID },
    to: { $0.accountID }, inbox: login, mail: loginMail)

  private static let loginSuspicious = NotificationSpec(
    "loginSuspicious", .logins, .warning, on: LoginAlertRaised.self, when: { $0.level == .suspicious }, about: { $0.alertID },
    to: { $0.accountID }, inbox: login, mail: loginMail)

  private static let loginRefused = NotificationSpec(
    "loginRefused", .logins, .critical, on: LoginAlertRaised.self, when: { $0.level == .high }, about: { $0.alertID },
    to: { $0.accountID }, inbox: login, mail: loginMail)

  private static let login = InboxPart<LoginAlertRaised>(
    values: [.text("device") { $0.device }, .text("place") { $0.place }],
    links: { NotificationLinks(loginAlertID: ID(linking: $0.alertID)) })

  private static let loginMail = MailSpec(from: .loginAlert, actions: [.confirm, .deny])
}

extension MailSource {
  /// The device and place of a login, and the links by which the owner answers: both lead to the same page, each with its own answer.
  fileprivate static let loginAlert = MailSource(["url", "confirmURL", "device", "place", "at"]) { job, reader in
    let secret = try await reader.identity.request(GetLoginAlertSecret.self, .init(alertID: job.subject()))
    func page(_ answer: LoginAlertAnswer) -> MailValue {
      .text("\(reader.publicURL)/login-alert?token=\(secret.token)&answer=\(answer)")
    }
    return MailContent(
      email: secret.email, username: secret.username, language: secret.language,
      values: [
        "url": page(.close), "confirmURL": page(.confirm), "device": .text(secret.device), "place": .text(secret.place),
        "at": .time(secret.at),
      ])
  }
}
