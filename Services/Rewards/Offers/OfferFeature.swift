import IdentityContract
import Logging
import RewardsContract
import ServiceKit
import Storage

/// Partners' offers: made by administrators, read from the operator's file, listed while they are valid (REW-3, REW-4).
struct OfferFeature: Feature {
  /// The operator's own.
  let published: [OffersFile.Item]
  let logger: Logger

  let migrations = [OfferStore.migration(4)]
  let tables: [ErasedTable] = [.untouched("offers", "the partners' own")]

  func register(in service: inout ServiceDefinition) {
    service.serve(CreateOffer.self, write: OfferHandlers.create)
    service.serve(ListOffers.self, read: OfferHandlers.list)
    service.serve(GetOffer.self, read: OfferHandlers.get)
    service.run { store in OfferWorker(offers: published, store: store, logger: logger) }
  }
}
