import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Checks once a second for streaks that may have changed; see ``StreakStore``. The pending work is in the store, so that a process that
/// was killed, or slept over the end of a day, does it late, and once.
///
/// Any number of writes to an activity within a second need only one count.
struct StreakWorker: ServiceLifecycle.Service {
  private static let interval = Duration.seconds(1)

  let store: Store
  let calendars: AccountCalendars
  let clock: Clock

  func run() async throws {
    try await repeating(every: Self.interval) {
      while true {
        let counted = try await store.read { try StreakStore.countDue(calendars, at: clock.now, in: $0) }
        guard !counted.isEmpty else { return }
        try await store.write { try StreakStore.keep(counted, $0) }
      }
    }
  }
}
