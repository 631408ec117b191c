import GRDB
import NotificationsContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Releases held deliveries when they are due: at the end of quiet hours, or after the delay in which the notification might be read. The
/// transaction of the release fills the queue of the channel.
struct HeldDeliveries: DueWork {
  /// The number of deliveries released in one step.
  private static let limits = StepLimits(first: 20, max: 500)

  let dispatch: DeliveryDispatch
  let clock: Clock

  func doSome(_ store: Store, _ pulse: Pulse) async throws -> Bool {
    let now = clock.now
    // Most wake-ups are for what is due later.
    guard try await store.read({ try DeliveryStore.dueGroup(at: now, in: $0) }) != nil else { return false }
    try await cancelWhenGracefulShutdown {
      try await store.writeInSteps(
        of: "held deliveries", Self.limits, willStep: { pulse.promise(within: DueWorker.round) }
      ) { try release(atLeast: $0, $1) }
    }
    return false
  }

  /// Releases whole groups, of which each is one mail or push, until there are so many deliveries.
  ///
  /// - Returns: whether there may be more.
  func release(atLeast count: Int, _ transaction: Transaction) throws -> Bool {
    var left = count
    while left > 0 {
      guard let group = try DeliveryStore.dueGroup(at: transaction.now, in: transaction.database) else { return false }
      left -= try dispatch.release(group, transaction)
    }
    return true
  }

  func nextDue(in database: Database) throws -> Instant? { try DeliveryStore.nextDue(in: database) }
}
