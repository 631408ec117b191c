import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Takes coins away that have ended, and tells their owners ahead of time, once for each lot. What it does is one transaction for each few
/// accounts: a kill leaves all or nothing of it.
struct CoinExpiryWorker: Service {
  /// How many accounts or lots one transaction looks at: other writers wait for no more than that.
  static let batch = 20

  let store: Store
  let expiry: CoinExpiry
  var interval = Duration.seconds(60)

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Does all that is due.
  func sweep() async throws {
    let expiry = expiry
    while try await store.write({ try CoinLotStore.expireDue(limit: Self.batch, $0) }) == Self.batch {}
    while try await store.write({ try CoinLotStore.announceDue(limit: Self.batch, expiry, $0) }) == Self.batch {}
  }
}
