import GRDB
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The common mails, used for every kind of notification that has no mail of its own.
extension MailSpec {
  /// One notification, as its title and text say it.
  static let notification = MailSpec("notification", from: .notification, actions: [.button])
  /// What waited together, a line for each.
  static let digest = MailSpec("digest", from: .digest, actions: [.button])
}

extension MailSource {
  /// Most lines of a mail about many notifications.
  private static let maxLines = 50

  /// The content in the inbox, or in the log where the inbox is switched off; nothing where it was removed, or is out of date.
  fileprivate static let notification = MailSource(["url", "text"]) { job, reader in
    let (id, account): (ID<NotificationDelivery>, AccountID) = (job.subject(), job.account)
    let (found, delivery) = try await reader.store.read { database in
      (
        try DeliveryStore.content(of: id, account, in: database),
        try DeliveryStore.queued(id, of: account, in: database)
      )
    }
    guard let found, let delivery, delivery.isOfUse(at: reader.clock.now) else { throw Failure(RequestFailure.notFound) }
    var content = try await common(job, reader)
    let words = found.words(content.language)
    content.values["text"] = .text(words.text)
    content.subject = words.title
    (content.kind, content.thread) = (delivery.kind, found.content.links.thread)
    return content
  }

  fileprivate static let digest = MailSource(["url", "lines", "count"]) { job, reader in
    let (mail, account, now) = (job.id, job.account, reader.clock.now)
    let found = try await reader.store.read {
      try DeliveryStore.contents(ofMail: mail, to: account, at: now, limit: maxLines, in: $0)
    }
    guard !found.contents.isEmpty else { throw Failure(RequestFailure.notFound) }
    var content = try await common(job, reader)
    var lines = found.contents.map { item in
      let words = item.words(content.language)
      return "\(words.title): \(words.text)"
    }
    if found.count > lines.count {
      let more = reader.words.text("mail.digest.more", content.language, ["count": .number(found.count - lines.count)])
      lines += [more].compactMap { $0 }
    }
    content.values["lines"] = .lines(lines)
    content.values["count"] = .text("\(found.count)")
    return content
  }

  /// The recipient, and the link to the inbox.
  private static func common(_ job: MailStore.Job, _ reader: MailReader) async throws -> MailContent {
    let addressee = try await reader.identity.request(GetAddressee.self, .init(accountID: job.account))
    return MailContent(
      email: addressee.email, username: addressee.username, language: addressee.language,
      values: ["url": .text(reader.publicURL)])
  }
}

extension NotificationLinks {
  /// What mails are about that belong together.
  fileprivate var thread: String? {
    let things: [(String, ID<Linked>?)] = [
      ("conversation", conversationID), ("task", taskID), ("series", seriesID), ("team", teamID),
      ("challenge", friendChallengeID), ("import", importID), ("case", caseID), ("report", reportID),
    ]
    return things.first { $0.1 != nil }.flatMap { name, id in id.map { "\(name)-\($0)" } }
  }
}
