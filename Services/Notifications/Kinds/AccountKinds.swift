import CMailTemplates
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit

extension NotificationSpec {
  static let ofAccounts: [NotificationSpec] = [
    accountVerified, verification, recovery, passwordChanged, emailChange, emailChangeNotice, emailChanged, identityLinked,
    identityUnlinked, tokenCreated, suspensionLink, accountDeleted,
  ]

  private static let accountVerified = NotificationSpec(
    "accountVerified", .account, on: AccountVerified.self, about: { $0.accountID }, to: { $0.accountID },
    inbox: .init(source: { "\($0.accountID)/\($0.at)" }))

  private static let verification = NotificationSpec(
    "verification", .account, on: VerificationMailRequested.self, about: { $0.linkID }, to: { $0.accountID },
    mail: MailSpec(
      from: .link("verify") { try await $1.request(GetVerificationSecret.self, .init(linkID: $0.subject())) },
      actions: [.secretLink]))

  private static let recovery = NotificationSpec(
    "recovery", .account, on: PasswordRecoveryRequested.self, about: { $0.recoveryID }, to: { $0.accountID },
    mail: MailSpec(
      from: .link("recover") { try await $1.request(GetRecoverySecret.self, .init(recoveryID: $0.subject())) },
      actions: [.secretLink]))

  private static let passwordChanged = NotificationSpec(
    "passwordChanged", .security, .warning, on: PasswordChanged.self, about: { $0.changeID }, to: { $0.accountID },
    mail: MailSpec(from: .notice, actions: [.page]))

  /// To the new address.
  private static let emailChange = NotificationSpec(
    "emailChange", .account, on: EmailChangeRequested.self, about: { $0.changeID }, to: { $0.accountID },
    mail: MailSpec(
      from: .link("change-email") { try await $1.request(GetEmailChangeSecret.self, .init(changeID: $0.subject())) },
      actions: [.secretLink]))

  /// To the present address.
  private static let emailChangeNotice = NotificationSpec(
    "emailChangeNotice", .security, .warning, on: EmailChangeRequested.self, about: { $0.changeID }, to: { $0.accountID },
    mail: MailSpec(from: .undoing, actions: [.alarm]))

  /// To the former address.
  private static let emailChanged = NotificationSpec(
    "emailChanged", .security, .warning, on: EmailChanged.self, about: { $0.changeID }, to: { $0.accountID },
    mail: MailSpec(from: .undoing, actions: [.alarm]))

  private static let identityLinked = NotificationSpec(
    "identityLinked", .security, .warning, on: IdentityLinkChanged.self, when: { $0.isLinked }, about: { $0.changeID },
    to: { $0.accountID }, mail: MailSpec(from: .notice, actions: [.link]))

  private static let identityUnlinked = NotificationSpec(
    "identityUnlinked", .security, .warning, on: IdentityLinkChanged.self, when: { !$0.isLinked }, about: { $0.changeID },
    to: { $0.accountID }, mail: MailSpec(from: .notice, actions: [.link]))

  private static let tokenCreated = NotificationSpec(
    "tokenCreated", .security, .warning, on: PersonalAccessTokenCreated.self, about: { $0.tokenID }, to: { $0.accountID },
    mail: MailSpec(from: .accessToken, actions: [.link]))

  /// To whoever cannot log in any more.
  private static let suspensionLink = NotificationSpec(
    "suspensionLink", .account, .warning, on: SuspensionLinkRequested.self, about: { $0.linkID }, to: { $0.accountID },
    mail: MailSpec(from: .suspension, actions: [.page]))

  /// The report of a deletion, to an account that is gone.
  private static let accountDeleted = NotificationSpec(
    MailSpec.deletionReport, .account, on: AccountErased.self, about: { $0.deletionID }, to: { $0.accountID },
    mail: MailSpec(
      from: .deletion,
      templates: [
        .english: .init(text: [UInt8](mail_template_accountDeleted.en_txt), html: [UInt8](mail_template_accountDeleted.en_html)),
        .spanish: .init(text: [UInt8](mail_template_accountDeleted.es_txt), html: [UInt8](mail_template_accountDeleted.es_html)),
      ]))
}

extension MailSource {
  /// A notice with the link that undoes a change of the address.
  fileprivate static let undoing = link("undo-email-change") {
    try await $1.request(GetEmailChangeNotice.self, .init(changeID: $0.subject()))
  }

  /// The name, scopes and expiry of a personal access token.
  fileprivate static let accessToken = MailSource(["url", "at", "name", "expiry", "scopes"]) { job, reader in
    let notice = try await reader.identity.request(GetPersonalAccessTokenNotice.self, .init(tokenID: job.subject()))
    let (token, language) = (notice.token, notice.language)
    let expiry =
      if let end = token.expiresAt {
        reader.words.text("mail.tokenCreated.expiry", language, ["until": .text(MailContent.minute(end))])
      } else {
        reader.words.text("mail.tokenCreated.noExpiry", language)
      }
    let scopes = AccessScope.allCases.filter { token.scopes.contains($0) }
    let allowed = scopes.map { reader.words.text("scope.\($0.rawValue)", language) ?? $0.rawValue }
    return MailContent(
      email: notice.email, username: notice.username, language: language,
      values: [
        "url": .text("\(reader.publicURL)/recover"), "at": .time(token.createdAt),
        // Its owner's words, unless somebody else made it.
        "name": .text(LinkFree.name(token.name.description)),
        "expiry": .text(expiry ?? ""), "scopes": .lines(allowed),
      ])
  }

  /// Until when the account is suspended, and the link by which its owner reads why.
  fileprivate static let suspension = MailSource(["url", "at", "state"]) { job, reader in
    let secret = try await reader.identity.request(GetSuspensionSecret.self, .init(linkID: job.subject()))
    let state =
      if let until = secret.suspendedUntil {
        reader.words.text("mail.suspensionLink.until", secret.language, ["until": .text(until.description)])
      } else {
        reader.words.text("mail.suspensionLink.banned", secret.language)
      }
    return MailContent(
      email: secret.email, username: secret.username, language: secret.language,
      values: [
        "url": .text("\(reader.publicURL)/suspension?token=\(secret.token)"), "at": .time(secret.expiresAt),
        "state": .text(state ?? ""),
      ])
  }

  /// What was erased, and when the last bytes of it left the files.
  fileprivate static let deletion = MailSource(["at", "erased", "erasedAt", "cleanBy"]) { job, reader in
    let report = try await reader.identity.request(GetDeletionReport.self, .init(deletionID: job.subject()))
    let (addressee, deletion) = (report.addressee, report.deletion)
    let counts = deletion.services.flatMap(\.counts)
    var values: [String: MailValue] = ["at": .time(deletion.requestedAt), "erasedAt": .text("")]
    values["erased"] = .lines(erased(counts, addressee.language, reader.words))
    if let instant = deletion.erasedAt { values["erasedAt"] = .time(instant) }
    values["cleanBy"] = .time(deletion.cleanBy)
    return MailContent(
      email: addressee.email, username: addressee.username, language: addressee.language, values: values)
  }

  /// A line for each kind of which there was something.
  static func erased(_ counts: [ErasureCount], _ language: Language, _ words: Words) -> [String] {
    let counts = Dictionary(counts.map { ($0.kind, $0.count) }, uniquingKeysWith: +)
    return ErasedKind.allCases.compactMap { kind in
      guard let count = counts[kind], count > 0 else { return nil }
      return words.text("erased.\(kind.rawValue)", language, ["count": .number(count)])
    }
  }
}
