import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Checks once a second for limits whose days are over; see ``OpenLimitStore``. The pending work is in the store, so that a process that
/// was killed, or slept over the end of a day, does it late, and once.
///
/// So nothing is published as done too early. For a day without an entry nothing is published.
struct OpenLimitWorker: ServiceLifecycle.Service {
  private static let interval = Duration.seconds(1)

  let store: Store
  let calendars: AccountCalendars
  let clock: Clock

  func run() async throws {
    try await repeating(every: Self.interval) {
      // Without due entries nothing is written.
      while try await store.read({ try OpenLimitStore.areDue(at: clock.now, in: $0) }) {
        try await store.write { try OpenLimitStore.close(calendars, $0) }
      }
    }
  }
}
