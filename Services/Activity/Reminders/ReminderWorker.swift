import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Looks at reminders when they are due; see ``ReminderStore``. What is to do is in the store, so that a process which was killed, or slept,
/// does it late, and once.
///
/// It sleeps until the next is due, but for no longer than a second: by then it knows of those that were set or moved meanwhile.
struct ReminderWorker: ServiceLifecycle.Service {
  private static let longestWait = Duration.seconds(1)
  /// The store answers so when too many wait for it, and is asked again at the next look.
  private static let noRoom = RequestFailure.overloaded.status

  let store: Store
  let calendars: AccountCalendars
  let lateSeconds: Int
  let clock: Clock

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while true { try await Task.sleep(for: try await step()) }
    }
  }

  /// Looks at all that are due, a bounded number in each transaction, so that others' writes come in between.
  ///
  /// - Returns: how long none is.
  private func step() async throws -> Duration {
    do {
      while let due = try await store.read({ try ReminderStore.nextDue(in: $0) }) {
        let wait = due.milliseconds - clock.now.milliseconds
        guard wait <= 0 else { return min(.milliseconds(wait), Self.longestWait) }
        while try await store.write({ try ReminderStore.takeDue(calendars, lateSeconds: lateSeconds, $0) })
          == ReminderStore.batch
        {}
      }
      return Self.longestWait
    } catch let failure as Failure where failure.status == Self.noRoom {
      return Self.longestWait
    }
  }
}
