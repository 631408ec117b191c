import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Removes expired coins, and notifies their owners in advance, once per lot. Each transaction covers a few accounts, so that a killed
/// process leaves no partial work.
struct CoinExpiryWorker: Service {
  /// The number of accounts or lots per transaction, which bounds how long other writers wait.
  static let batch = 20

  let store: Store
  let expiry: CoinExpiry
  var interval = Duration.seconds(60)

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Processes everything that is due.
  func sweep() async throws {
    let expiry = expiry
    while try await store.write({ try CoinLotStore.expireDue(limit: Self.batch, $0) }) == Self.batch {}
    while try await store.write({ try CoinLotStore.announceDue(limit: Self.batch, expiry, $0) }) == Self.batch {}
  }
}
