import CEmbeddedFile
import CMailTemplates
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

    init(_ text: EmbeddedFile, _ html: EmbeddedFile) throws {
      self.text = try MustacheTemplate(string: String(decoding: [UInt8](text), as: UTF8.self))
      self.html = try MustacheTemplate(
        string: "{{% CONTENT_TYPE:\(EscapedMarkup.name)}}\n" + String(decoding: [UInt8](html), as: UTF8.self))
    }
  }

  private let pairs: [MailKind: [Language: Pair]]
  private let words = Words(Contract.notifications.words)

  /// Throws where a template is malformed; a test reads them all.
  init() throws {
    MustacheContentTypes.register(EscapedMarkup(), named: EscapedMarkup.name)
    pairs = try Dictionary(
      uniqueKeysWithValues: MailKind.allCases.map { kind in
        let files = kind.templates
        return (
          kind, [.english: try Pair(files.en_txt, files.en_html), .spanish: try Pair(files.es_txt, files.es_html)]
        )
      })
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

extension MailKind {
  /// The files in the program.
  fileprivate var templates: MailTemplateFiles {
    switch self {
    case .verification: mail_template_verification
    case .recovery: mail_template_recovery
    case .passwordChanged: mail_template_passwordChanged
    case .accountDeleted: mail_template_accountDeleted
    case .loginNoticed: mail_template_loginNoticed
    case .loginSuspicious: mail_template_loginSuspicious
    case .loginRefused: mail_template_loginRefused
    case .locked: mail_template_locked
    case .tokensReused: mail_template_tokensReused
    case .everythingRevoked: mail_template_everythingRevoked
    case .incident: mail_template_incident
    case .report: mail_template_report
    case .emailChange: mail_template_emailChange
    case .emailChanged: mail_template_emailChanged
    case .emailChangeNotice: mail_template_emailChangeNotice
    case .identityLinked: mail_template_identityLinked
    case .identityUnlinked: mail_template_identityUnlinked
    case .tokenCreated: mail_template_tokenCreated
    }
  }
}
