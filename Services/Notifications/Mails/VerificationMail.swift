import IdentityContract
import Mustache
import NotificationsContract
import Operations

/// The mail with a verification link (ID-2, NOT-6), written from the templates beside this file.
struct VerificationMail: Sendable {
  private struct Templates: Sendable {
    let text: MustacheTemplate
    let html: MustacheTemplate
  }

  private let templates: [Language: Templates]
  private let words = Words(Contract.notifications.words)

  /// Throws where a template is malformed; a test reads them all.
  init() throws {
    func template(_ bytes: [UInt8]) throws -> MustacheTemplate {
      try MustacheTemplate(string: String(decoding: bytes, as: UTF8.self))
    }
    templates = [
      .english: Templates(
        text: try template(PackageResources.verification_en_txt), html: try template(PackageResources.verification_en_html)),
      .spanish: Templates(
        text: try template(PackageResources.verification_es_txt), html: try template(PackageResources.verification_es_html)),
    ]
  }

  /// Writes the mail.
  ///
  /// - Throws: ``MailFailure/badAddress``.
  func message(
    _ mail: MailQueue.Job, _ secret: ReadVerificationSecret.Output, from: MailAddress, publicURL: String
  ) throws(MailFailure) -> MailMessage {
    guard let to = MailAddress(secret.email.ascii) else { throw .badAddress }
    guard let templates = templates[secret.language], let subject = words.text("mail.verification.subject", secret.language)
    else {
      preconditionFailure("every language has its templates")
    }
    let values = [
      "subject": subject, "username": secret.username.description, "token": secret.token,
      "url": "\(publicURL)/verify?token=\(secret.token)", "expiresAt": VerificationMail.minute(secret.expiresAt),
    ]
    return MailMessage(
      id: mail.id, from: from, to: to, language: secret.language, subject: subject, date: mail.createdAt,
      text: templates.text.render(values), html: templates.html.render(values))
  }

  /// `2026-11-22 08:43 UTC`.
  private static func minute(_ instant: Instant) -> String {
    let text = instant.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }
}
