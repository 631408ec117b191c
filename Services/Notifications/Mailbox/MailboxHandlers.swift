import NotificationsContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Serves the mails that lie in the folder.
  ///
  /// - Parameter mailbox: nil where there is none to be seen.
  mutating func serveMailbox(_ mailbox: Mailbox?) {
    serve(ListMailbox.self) { _, _ in
      guard let mailbox else { throw Failure(RequestFailure.notFound) }
      return ListMailbox.Output(items: try await mailbox.list())
    }
    serve(ReadMailboxMail.self) { input, _ in
      guard let mailbox, let mail = await mailbox.read(input.name) else { throw Failure(RequestFailure.notFound) }
      return mail
    }
  }
}
