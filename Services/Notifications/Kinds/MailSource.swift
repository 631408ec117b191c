import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The data of a mail, requested from identity when the mail is written: addresses and secrets are kept nowhere else.
struct MailSource: Sendable {
  /// The names of the values that it gives.
  let values: Set<String>
  /// Throws `not_found` for a link that no longer works and an account that is gone.
  let read: @Sendable (MailStore.Job, MailReader) async throws -> MailContent

  init(_ values: Set<String>, read: @escaping @Sendable (MailStore.Job, MailReader) async throws -> MailContent) {
    self.values = values
    self.read = read
  }

  /// A link that works once, to a page of ours.
  static func link(
    _ page: String, _ read: @escaping @Sendable (MailStore.Job, ServiceClient) async throws -> GetVerificationSecret.Output
  ) -> MailSource {
    MailSource(["url", "token", "at"]) { job, reader in
      let secret = try await read(job, reader.identity)
      return MailContent(
        email: secret.email, username: secret.username, language: secret.language,
        values: [
          "url": .text("\(reader.publicURL)/\(page)?token=\(secret.token)"), "token": .text(secret.token),
          "at": .time(secret.expiresAt),
        ])
    }
  }

  /// Reports something that happened then, with the way to recover the account.
  static let notice = MailSource(["url", "at"]) { job, reader in
    let addressee = try await reader.identity.request(GetAddressee.self, .init(accountID: job.account))
    return MailContent(
      email: addressee.email, username: addressee.username, language: addressee.language,
      values: ["url": .text("\(reader.publicURL)/recover"), "at": .time(job.createdAt)])
  }
}

/// What a mail's content is read with.
struct MailReader: Sendable {
  let identity: ServiceClient
  let social: ServiceClient
  /// What notifications itself keeps.
  let store: Store
  /// Where people reach the system, without a slash at the end.
  let publicURL: String
  let words: Words
  /// By which reminders are answered.
  let reminders: ReminderLinks
  let clock: Clock
}

/// Whom a mail is for, and the values in its words.
struct MailContent: Sendable {
  let email: EmailAddress
  let username: Username
  let language: Language
  var values: [String: MailValue]
  /// Where the mail's subject is not the words `mail.<kind>.subject`.
  var subject: String?
  /// The kind of notification that it reports, where the mail's name is not that kind.
  var kind: String?
  /// What mails are about that belong together, such as `task-<id>`; nil for one alone.
  var thread: String?

  /// `2026-11-22 08:43 UTC`.
  static func minute(_ instant: Instant) -> String {
    let text = instant.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }
}

/// A value in the words of a mail.
enum MailValue: Hashable, Sendable {
  case text(String)
  case time(Instant)
  /// A list; it is a paragraph of its own.
  case lines([String])
  /// Something to be kept as it is, line by line; it is a paragraph of its own.
  case verbatim(String)
}
