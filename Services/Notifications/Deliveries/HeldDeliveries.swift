import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Releases held deliveries when they are due: at the end of quiet hours, or after the delay in which the notification might be read. The
/// transaction of the release fills the queue of the channel.
struct HeldDeliveries: DueWork {
  private static let batch = 200

  let dispatch: DeliveryDispatch
  let clock: Clock

  func doSome(_ store: Store, _ pulse: Pulse) async throws -> Bool {
    let now = clock.now
    let groups = try await store.read { try DeliveryStore.dueGroups(at: now, limit: Self.batch, in: $0) }
    guard !groups.isEmpty else { return false }
    try await store.write { [dispatch] transaction in
      for group in groups { try dispatch.release(group, transaction) }
    }
    return true
  }

  func nextDue(in database: Database) throws -> Instant? { try DeliveryStore.nextDue(in: database) }
}
