import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Notifies accounts that have not moved for as many days as they chose; see ``InactivityStore``. The pending work is in the store and is
/// done in one transaction with its events, for a few accounts at a time: so each account is notified once, even if the process is killed.
struct InactivityWorker: ServiceLifecycle.Service {
  private static let interval = Duration.seconds(10)

  let store: Store
  let calendars: AccountCalendars
  let clock: Clock

  func run() async throws {
    try await repeating(every: Self.interval) { try await sweep() }
  }

  /// Checks all due accounts.
  func sweep() async throws {
    // Without due accounts nothing is written.
    while try await store.read({ try InactivityStore.areDue(at: clock.now, in: $0) }) {
      try await store.write { try InactivityStore.notifyDue(calendars, $0) }
    }
  }
}
