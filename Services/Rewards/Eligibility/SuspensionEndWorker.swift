import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Lets the end of suspensions take effect whose time is over, each in the transaction that forgets it.
struct SuspensionEndWorker: Service {
  /// Accounts of one transaction: other writers wait for no more than that.
  static let batch = 10

  let store: Store
  let clock: Clock
  let whenEnded: @Sendable (AccountID, Transaction) throws -> Void
  var interval = Duration.seconds(1)

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Does all that is due.
  func sweep() async throws {
    // Nothing is written where nothing is to do.
    while try await store.read({ [clock] in try SuspensionEndStore.isDue(at: clock.now, in: $0) }) {
      try await store.write { [whenEnded] transaction in
        for account in try SuspensionEndStore.takeDue(limit: Self.batch, transaction) { try whenEnded(account, transaction) }
      }
    }
  }
}
