import NotificationsContract
import Operations

/// A mail ready to go.
struct Letter: Hashable, Sendable {
  let id: ID<Mail>
  let createdAt: Instant
  let from: MailAddress
  let to: MailAddress
  let bytes: [UInt8]
}

/// Takes a letter out of the system. Cancelling the task breaks off.
protocol MailCarrier: Sendable {
  func carry(_ letter: Letter) async throws(MailFailure)
}
