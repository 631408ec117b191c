import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Applies the end of expired suspensions, each in the transaction that removes it.
struct SuspensionEndWorker: Service {
  /// The number of accounts per transaction, which bounds how long other writers wait.
  static let batch = 10

  let store: Store
  let clock: Clock
  let whenEnded: @Sendable (AccountID, Transaction) throws -> Void
  var interval = Duration.seconds(1)

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Applies all ends that are due.
  func sweep() async throws {
    // Without due ends nothing is written.
    while try await store.read({ [clock] in try SuspensionEndStore.isDue(at: clock.now, in: $0) }) {
      try await store.write { [whenEnded] transaction in
        for account in try SuspensionEndStore.takeDue(limit: Self.batch, transaction) { try whenEnded(account, transaction) }
      }
    }
  }
}
