import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Tells accounts that they have not moved for as many days as they chose; see ``InactivityStore``. What is to do is in the store, and is done
/// in one transaction with its event for a few accounts: whatever is killed, each is told once.
struct InactivityWorker: ServiceLifecycle.Service {
  private static let interval = Duration.seconds(10)

  let store: Store
  let calendars: AccountCalendars
  let clock: Clock

  func run() async throws {
    try await repeating(every: Self.interval) { try await sweep() }
  }

  /// Looks at all that are due.
  func sweep() async throws {
    // Nothing is written where nothing is to do.
    while try await store.read({ try InactivityStore.areDue(at: clock.now, in: $0) }) {
      try await store.write { try InactivityStore.notifyDue(calendars, $0) }
    }
  }
}
