import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Processes reminders when they are due; see ``ReminderStore``. The pending work is in the store, so that a process that was killed, or
/// slept, does it late, and once.
///
/// It sleeps until the next reminder is due, but for at most a second, to notice reminders that were set or moved meanwhile.
struct ReminderWorker: ServiceLifecycle.Service {
  private static let longestWait = Duration.seconds(1)
  /// The store's status when too many callers wait for it; the worker tries again at the next step.
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

  /// Processes all due reminders, a bounded number per transaction, so that other writes get their turn.
  ///
  /// - Returns: how long until the next is due.
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
