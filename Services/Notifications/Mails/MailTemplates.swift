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
}

/// Writes mails from the templates beside this file, in the language of the account (NOT-6).
struct MailTemplates: Sendable {
  private struct Pair: Sendable {
    let text: MustacheTemplate
    let html: MustacheTemplate

    init(_ text: [UInt8], _ html: [UInt8]) throws {
      self.text = try MustacheTemplate(string: String(decoding: text, as: UTF8.self))
      self.html = try MustacheTemplate(string: String(decoding: html, as: UTF8.self))
    }
  }

  private let pairs: [MailKind: [Language: Pair]]
  private let words = Words(Contract.notifications.words)

  /// Throws where a template is malformed; a test reads them all.
  init() throws {
    typealias Files = PackageResources
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
      .emailChange: [
        .english: try Pair(Files.emailChange_en_txt, Files.emailChange_en_html),
        .spanish: try Pair(Files.emailChange_es_txt, Files.emailChange_es_html),
      ],
      .emailChanged: [
        .english: try Pair(Files.emailChanged_en_txt, Files.emailChanged_en_html),
        .spanish: try Pair(Files.emailChanged_es_txt, Files.emailChanged_es_html),
      ],
    ]
  }

  /// Writes the mail.
  ///
  /// - Throws: ``MailFailure/badAddress``.
  func message(_ mail: MailQueue.Job, _ content: MailContent, from: MailAddress) throws(MailFailure) -> MailMessage {
    guard let to = MailAddress(content.email.ascii) else { throw .badAddress }
    guard let templates = pairs[mail.subject.kind]?[content.language],
      let subject = words.text("mail.\(mail.subject.kind.rawValue).subject", content.language)
    else { preconditionFailure("every kind of mail has its words in every language") }
    let values = [
      "subject": subject, "username": content.username.description, "token": content.token ?? "", "url": content.url,
      "at": MailTemplates.minute(content.at),
    ]
    return MailMessage(
      id: mail.id, from: from, to: to, language: content.language, subject: subject, date: mail.createdAt,
      text: templates.text.render(values), html: templates.html.render(values))
  }

  /// `2026-11-22 08:43 UTC`.
  private static func minute(_ instant: Instant) -> String {
    let text = instant.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }
}
