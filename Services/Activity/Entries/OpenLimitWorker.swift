import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Looks once a second for limits whose days are over; see ``OpenLimitStore``. What is to do is in the store, so that a process which was
/// killed, or slept over the end of a day, does it late, and once.
///
/// So subscribers may celebrate what is done, and nothing is celebrated early. Of a day without an entry nothing is published.
struct OpenLimitWorker: ServiceLifecycle.Service {
  private static let interval = Duration.seconds(1)

  let store: Store
  let calendars: AccountCalendars
  let clock: Clock

  func run() async throws {
    try await repeating(every: Self.interval) {
      // Nothing is written where nothing is to do.
      while try await store.read({ try OpenLimitStore.areDue(at: clock.now, in: $0) }) {
        try await store.write { try OpenLimitStore.close(calendars, $0) }
      }
    }
  }
}
