import IdentityContract
import Logging
import RewardsContract
import ServiceKit
import Storage

/// Offers: partners' own, the operator's from its file and by administrators; listed while they are valid (REW-3, REW-4).
struct OfferFeature: Feature {
  /// The operator's own offers.
  let published: [OffersFile.Item]
  let partners: PartnerOfferHandlers
  let logger: Logger

  let migrations = [OfferStore.migration(4), OfferStore.partnersMigration(19)]
  let tables: [ErasedTable] = [
    .untouched("offer_pictures", "the partners' own"), .untouched("offer_places", "the partners' own"),
    .untouched("offers", "the partners' own"),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(CreateOffer.self, write: OfferHandlers.create)
    service.serve(ListOffers.self, prepare: OfferHandlers.consent, read: OfferHandlers.list)
    service.serve(GetOffer.self, OfferHandlers.get)
    service.serve(GetOfferPicture.self, read: OfferHandlers.picture)
    service.serve(CreatePartnerOffer.self, write: PartnerOfferHandlers.create)
    service.serve(UpdatePartnerOffer.self, write: PartnerOfferHandlers.update)
    service.serve(PausePartnerOffer.self, write: PartnerOfferHandlers.pause)
    service.serve(ResumePartnerOffer.self, write: PartnerOfferHandlers.resume)
    service.serve(WithdrawPartnerOffer.self, write: PartnerOfferHandlers.withdraw)
    service.serve(ListPartnerOffers.self, read: PartnerOfferHandlers.list)
    service.serve(PutOfferPicture.self, prepare: partners.picture, write: PartnerOfferHandlers.putPicture)
    service.serve(DeleteOfferPicture.self, write: PartnerOfferHandlers.deletePicture)
    service.run { store in OfferWorker(offers: published, store: store, logger: logger) }
    service.run { store in OfferEndWorker(store: store) }
  }
}
