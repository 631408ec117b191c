import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Reminders of activities (NOT-2). One waits for the end of quiet hours like others, unless its day is over by then.
extension NotificationSpec {
  static let reminderDue = NotificationSpec(
    "reminderDue", .reminders, on: ReminderDue.self, when: { !$0.isMissed }, about: { $0.reminderID }, to: { $0.accountID },
    inbox: .init(
      source: { $0.source }, values: [.text("activity") { $0.title }, .text("time") { "\($0.time)" }],
      links: { NotificationLinks(activityID: ID(linking: $0.activityID), reminderID: ID(linking: $0.reminderID)) }),
    mail: MailSpec(from: .reminder, actions: [.done, .again]), delivery: DeliverySpec(defaults: [.inbox, .push]),
    until: { .instant($0.endsAt) })
}

extension MailAction {
  /// That the day is done.
  fileprivate static let done = MailAction(name: "done", url: "url", style: .button)
  /// Remind me again.
  fileprivate static let again = MailAction(name: "again", url: "againURL", style: .link)
}

extension MailSource {
  /// A reminder as long as it can be answered, with the links that do so.
  fileprivate static let reminder = MailSource(["url", "againURL", "activity", "time"]) { job, reader in
    let (subject, now): (ID<Linked>, Instant) = (job.subjectID, reader.clock.now)
    guard let found = try await reader.store.read({ try ReminderStore.open(subject, at: now, in: $0) }) else {
      throw Failure(RequestFailure.notFound)
    }
    let addressee = try await reader.identity.request(GetAddressee.self, .init(accountID: job.account))
    let token = reader.reminders.token(found.id)
    var content = MailContent(
      email: addressee.email, username: addressee.username, language: addressee.language,
      values: [
        "url": .text(reader.reminders.page(token, ReminderReply.done.rawValue)),
        "againURL": .text(reader.reminders.page(token, ReminderReply.again.rawValue)),
        "activity": .text(LinkFree.text(found.title)), "time": .text(found.time.description),
      ])
    content.thread = "reminder-\(found.activity)"
    return content
  }
}
