import ServiceKit
import ServiceLifecycle
import Storage

/// Unlists offers that have ended, and deletes the viewers of past days.
struct OfferEndWorker: Service {
  /// The number of rows per transaction, which bounds how long other writers wait.
  static let batch = 200

  let store: Store

  func run() async throws { try await repeating(every: .seconds(600)) { try await sweep() } }

  /// Processes everything that is due.
  func sweep() async throws {
    while try await store.write({ try OfferStore.unlistEnded(limit: Self.batch, $0) }) == Self.batch {}
    while try await store.write({ try OfferViewStore.forgetViewers(limit: Self.batch, $0) }) == Self.batch {}
  }
}
