import ServiceKit
import ServiceLifecycle
import Storage

/// Ends the sessions in doubt that can no longer be confirmed, and removes the alerts that have outlived their use, a few at a time.
struct UnansweredLoginWorker: Service {
  private static let limits = StepLimits(first: 50, max: 500)

  let store: Store
  var interval = Duration.seconds(600)

  func run() async throws {
    try await repeating(every: interval) {
      try await closeSessions()
      try await removeAlerts()
    }
  }

  /// Ends all of them.
  func closeSessions() async throws {
    try await store.writeInSteps(of: "unansweredLogins", Self.limits) {
      try LoginAlertStore.closeUnansweredSessions(limit: $0, $1)
    }
  }

  /// Removes all alerts that are due, but for those that still have an effect.
  func removeAlerts() async throws {
    try await store.writeInSteps(of: "dueAlerts", Self.limits) { try LoginAlertStore.removeDue(limit: $0, $1) }
  }
}
