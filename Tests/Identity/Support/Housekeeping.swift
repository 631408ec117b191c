import Logging
import Storage

@testable import IdentityService
@testable import ServiceKit

/// What identity does by itself with what is due, for a test to do at once.
struct Housekeeping: Sendable {
  private let logins: UnansweredLoginWorker
  private let retention: RetentionWorker

  /// - Parameter features: all of the service.
  init(_ store: Store, _ features: [any Feature]) {
    logins = UnansweredLoginWorker(store: store)
    retention = RetentionWorker(store: store, features: features, logger: Logger(label: "test"))
  }

  /// Ends unanswered sessions, and removes what has outlived its use; a failure of the one does not keep the other from it.
  func sweep() async throws {
    var failure: (any Error)?
    do { try await logins.closeSessions() } catch { failure = error }
    try await retention.sweep()
    try await logins.removeAlerts()
    if let failure { throw failure }
  }
}
