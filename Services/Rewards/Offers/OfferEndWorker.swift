import ServiceKit
import ServiceLifecycle
import Storage

/// Takes offers that have ended out of what lists walk along, and forgets who looked at offers on days that are over.
struct OfferEndWorker: Service {
  /// Rows of one transaction: other writers wait for no more than that.
  static let batch = 200

  let store: Store

  func run() async throws { try await repeating(every: .seconds(600)) { try await sweep() } }

  /// Does all that is due.
  func sweep() async throws {
    while try await store.write({ try OfferStore.unlistEnded(limit: Self.batch, $0) }) == Self.batch {}
    while try await store.write({ try OfferViewStore.forgetViewers(limit: Self.batch, $0) }) == Self.batch {}
  }
}
