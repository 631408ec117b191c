import NotificationsContract
import Operations
import ServiceKit

/// The mails that lie in the folder.
struct MailboxHandlers: Sendable {
  /// Nil where the mailbox is not available.
  let mailbox: Mailbox?

  @Sendable
  func list(_ input: ListMailbox.Input, _ call: OpenCall) async throws -> ListMailbox.Output {
    guard let mailbox else { throw Failure(RequestFailure.notFound) }
    return ListMailbox.Output(items: try await mailbox.list())
  }

  @Sendable
  func get(_ input: GetMailboxMail.Input, _ call: OpenCall) async throws -> GetMailboxMail.Output {
    guard let mailbox, let mail = try await mailbox.read(input.name) else { throw Failure(RequestFailure.notFound) }
    return mail
  }
}
