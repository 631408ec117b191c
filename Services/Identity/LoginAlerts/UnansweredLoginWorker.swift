import ServiceKit
import ServiceLifecycle
import Storage

/// Ends the sessions in doubt that can no longer be confirmed, a few at a time.
struct UnansweredLoginWorker: Service {
  private static let limits = StepLimits(first: 50, max: 500)

  let store: Store
  var interval = Duration.seconds(600)

  func run() async throws { try await repeating(every: interval) { try await closeSessions() } }

  /// Ends all of them.
  func closeSessions() async throws {
    try await store.writeInSteps(of: "unansweredLogins", Self.limits) {
      try LoginAlertStore.closeUnansweredSessions(limit: $0, $1)
    }
  }
}
