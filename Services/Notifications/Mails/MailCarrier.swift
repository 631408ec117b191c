import Dispatch
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

/// Threads for work that blocks, so that it does not hold up everything else; as many as there is such work, which its callers bound.
struct BlockingWork: Sendable {
  private let queue: DispatchQueue

  init(_ name: String) { queue = DispatchQueue(label: name, attributes: .concurrent) }

  func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }
}
