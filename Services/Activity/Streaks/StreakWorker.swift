import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Looks once a second for streaks that may have changed; see ``StreakStore``. What is to do is in the store, so that a process which was
/// killed, or slept over the end of a day, does it late, and once.
///
/// Within the second, any number of writes to an activity make one count of it.
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
