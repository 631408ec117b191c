import NotificationsContract
import ServiceKit

/// Mails that are files, shown to the gateway alone.
struct MailboxFeature: Feature {
  /// Nil where the mailbox is not available.
  let mailbox: Mailbox?

  func register(in service: inout ServiceDefinition) {
    let handlers = MailboxHandlers(mailbox: mailbox)
    service.serve(ListMailbox.self, handlers.list)
    service.serve(GetMailboxMail.self, handlers.get)
  }
}
