import IdentityContract
import Mustache
import NotificationsContract
import Operations

/// What stands in a mail, asked from identity when it is written.
struct MailContent: Sendable {
  let email: EmailAddress
  let username: Username
  let language: Language
  /// The page that the mail leads to.
  let url: String
  /// The secret of a link; it stands in the mail and nowhere else.
  let token: String?
  /// Until when the link works, or when that happened which the mail tells of.
  let at: Instant
  /// Of a login: where to say that it was oneself, what logged in, and where.
  var confirmURL: String?
  var device: String?
  var place: String?
  /// What administrators are told.
  var security: SecurityMail?
  /// A personal access token that was made.
  var made: PersonalAccessToken?
  /// What was erased with an account.
  var erased: [ErasureCount] = []
  /// When the last bytes of that left the files, and by when those of the address will have.
  var erasedAt: Instant?
  var cleanBy: Instant?
}

/// Escapes what stands in HTML: the package's own way goes by characters, and lets pass what is one with the character beside it.
private struct EscapedMarkup: MustacheContentType {
  static let name = "MARKUP"

  func escapeText(_ text: String) -> String { Markup.escaped(text) }
}

/// Writes mails from the templates beside this file, in the language of the account (NOT-6).
struct MailTemplates: Sendable {
  private struct Pair: Sendable {
    let text: MustacheTemplate
    let html: MustacheTemplate

    init(_ text: [UInt8], _ html: [UInt8]) throws {
      self.text = try MustacheTemplate(string: String(decoding: text, as: UTF8.self))
      self.html = try MustacheTemplate(
        string: "{{% CONTENT_TYPE:\(EscapedMarkup.name)}}\n" + String(decoding: html, as: UTF8.self))
    }
  }

  private let pairs: [MailKind: [Language: Pair]]
  private let words = Words(Contract.notifications.words)

  /// Throws where a template is malformed; a test reads them all.
  init() throws {
    typealias Files = PackageResources
    MustacheContentTypes.register(EscapedMarkup(), named: EscapedMarkup.name)
    pairs = [
      .verification: [
        .english: try Pair(Files.verification_en_txt, Files.verification_en_html),
        .spanish: try Pair(Files.verification_es_txt, Files.verification_es_html),
      ],
      .recovery: [
        .english: try Pair(Files.recovery_en_txt, Files.recovery_en_html),
        .spanish: try Pair(Files.recovery_es_txt, Files.recovery_es_html),
      ],
      .passwordChanged: [
        .english: try Pair(Files.passwordChanged_en_txt, Files.passwordChanged_en_html),
        .spanish: try Pair(Files.passwordChanged_es_txt, Files.passwordChanged_es_html),
      ],
      .loginNoticed: [
        .english: try Pair(Files.loginNoticed_en_txt, Files.loginNoticed_en_html),
        .spanish: try Pair(Files.loginNoticed_es_txt, Files.loginNoticed_es_html),
      ],
      .loginSuspicious: [
        .english: try Pair(Files.loginSuspicious_en_txt, Files.loginSuspicious_en_html),
        .spanish: try Pair(Files.loginSuspicious_es_txt, Files.loginSuspicious_es_html),
      ],
      .loginRefused: [
        .english: try Pair(Files.loginRefused_en_txt, Files.loginRefused_en_html),
        .spanish: try Pair(Files.loginRefused_es_txt, Files.loginRefused_es_html),
      ],
      .locked: [
        .english: try Pair(Files.locked_en_txt, Files.locked_en_html),
        .spanish: try Pair(Files.locked_es_txt, Files.locked_es_html),
      ],
      .tokensReused: [
        .english: try Pair(Files.tokensReused_en_txt, Files.tokensReused_en_html),
        .spanish: try Pair(Files.tokensReused_es_txt, Files.tokensReused_es_html),
      ],
      .everythingRevoked: [
        .english: try Pair(Files.everythingRevoked_en_txt, Files.everythingRevoked_en_html),
        .spanish: try Pair(Files.everythingRevoked_es_txt, Files.everythingRevoked_es_html),
      ],
      .incident: [
        .english: try Pair(Files.incident_en_txt, Files.incident_en_html),
        .spanish: try Pair(Files.incident_es_txt, Files.incident_es_html),
      ],
      .report: [
        .english: try Pair(Files.report_en_txt, Files.report_en_html),
        .spanish: try Pair(Files.report_es_txt, Files.report_es_html),
      ],
      .accountDeleted: [
        .english: try Pair(Files.accountDeleted_en_txt, Files.accountDeleted_en_html),
        .spanish: try Pair(Files.accountDeleted_es_txt, Files.accountDeleted_es_html),
      ],
      .emailChange: [
        .english: try Pair(Files.emailChange_en_txt, Files.emailChange_en_html),
        .spanish: try Pair(Files.emailChange_es_txt, Files.emailChange_es_html),
      ],
      .emailChanged: [
        .english: try Pair(Files.emailChanged_en_txt, Files.emailChanged_en_html),
        .spanish: try Pair(Files.emailChanged_es_txt, Files.emailChanged_es_html),
      ],
      .emailChangeNotice: [
        .english: try Pair(Files.emailChangeNotice_en_txt, Files.emailChangeNotice_en_html),
        .spanish: try Pair(Files.emailChangeNotice_es_txt, Files.emailChangeNotice_es_html),
      ],
      .identityLinked: [
        .english: try Pair(Files.identityLinked_en_txt, Files.identityLinked_en_html),
        .spanish: try Pair(Files.identityLinked_es_txt, Files.identityLinked_es_html),
      ],
      .identityUnlinked: [
        .english: try Pair(Files.identityUnlinked_en_txt, Files.identityUnlinked_en_html),
        .spanish: try Pair(Files.identityUnlinked_es_txt, Files.identityUnlinked_es_html),
      ],
      .tokenCreated: [
        .english: try Pair(Files.tokenCreated_en_txt, Files.tokenCreated_en_html),
        .spanish: try Pair(Files.tokenCreated_es_txt, Files.tokenCreated_es_html),
      ],
    ]
  }

  /// Writes the mail. Its username, which anybody may have chosen who knows the address, is nothing to follow.
  ///
  /// - Throws: ``MailFailure/badAddress``.
  func message(_ mail: MailQueue.Job, _ content: MailContent, from: MailAddress) throws(MailFailure) -> MailMessage {
    guard let to = MailAddress(content.email.ascii) else { throw .badAddress }
    guard let templates = pairs[mail.subject.kind]?[content.language],
      let subject = words.text("mail.\(mail.subject.kind.rawValue).subject", content.language)
    else { preconditionFailure("every kind of mail has its words in every language") }
    let values: [String: Any] = [
      "subject": subject, "username": LinkFree.text(content.username.description), "token": content.token ?? "",
      "url": content.url,
      "at": MailTemplates.minute(content.at), "confirmURL": content.confirmURL ?? "", "device": content.device ?? "",
      "place": content.place ?? "", "title": content.security?.title ?? "", "lines": content.security?.lines ?? [],
      "recommendations": content.security?.recommendations ?? [], "erased": erased(content),
      // Its owner's words, unless somebody else made it.
      "name": LinkFree.name(content.made?.name.description ?? ""), "scopes": scopes(content),
      "expiry": expiry(content), "erasedAt": content.erasedAt.map(MailTemplates.minute) ?? "",
      "cleanBy": content.cleanBy.map(MailTemplates.minute) ?? "",
    ]
    return MailMessage(
      id: mail.id, from: from, to: to, language: content.language, subject: subject, date: mail.createdAt,
      text: templates.text.render(values), html: templates.html.render(values))
  }

  /// A line for each kind of which there was something.
  private func erased(_ content: MailContent) -> [String] {
    let counts = Dictionary(content.erased.map { ($0.kind, $0.count) }, uniquingKeysWith: +)
    return ErasedKind.allCases.compactMap { kind in
      guard let count = counts[kind], count > 0 else { return nil }
      return words.text("erased.\(kind.rawValue)", content.language, ["count": .number(count)])
    }
  }

  /// A line for each thing that a token allows.
  private func scopes(_ content: MailContent) -> [String] {
    AccessScope.allCases.filter { content.made?.scopes.contains($0) == true }.map { scope in
      words.text("scope.\(scope.rawValue)", content.language) ?? scope.rawValue
    }
  }

  /// When a token stops working; none where it does not by itself.
  private func expiry(_ content: MailContent) -> [String] {
    content.made?.expiresAt.map { [MailTemplates.minute($0)] } ?? []
  }

  /// `2026-11-22 08:43 UTC`.
  private static func minute(_ instant: Instant) -> String {
    let text = instant.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }
}
