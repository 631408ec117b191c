import IdentityContract
import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Asks identity from time to time about the sessions that devices belong to, so that devices of ended sessions are removed even if nothing
/// is pushed.
struct PushSessionWorker: ServiceLifecycle.Service {
  let store: Store
  let identity: ServiceClient
  let clock: Clock
  let logger: Logger
  /// When it was started.
  let start: Instant
  var interval = Duration.seconds(600)

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Asks about all sessions whose last answer is old.
  func sweep() async throws {
    do {
      while true {
        let now = clock.now
        let sessions = try await store.read { [start] in try PushSessionStore.idle(at: now, since: start, in: $0) }
        guard !sessions.isEmpty else { return }
        try await PushSessionStore.check(sessions, identity, store)
      }
    } catch let failure as Failure {
      logger.info("sessions were not checked", metadata: ["failure": .string(failure.code)])
    }
  }
}
