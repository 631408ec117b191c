import Logging
import ServiceLifecycle
import Storage

/// Stores the operator's offers when the service starts.
struct OfferWorker: ServiceLifecycle.Service {
  let offers: [OffersFile.Item]
  let store: Store
  let logger: Logger

  func run() async throws {
    guard !offers.isEmpty else { return }
    let offers = offers
    let count = try await store.write { transaction in
      try offers.count { try OfferStore.add($0.id, $0.input, at: transaction.now, in: transaction.database) }
    }
    logger.info(
      "offers published", metadata: ["file": "\(OffersFile.name)", "new": "\(count)", "known": "\(offers.count - count)"])
  }
}
