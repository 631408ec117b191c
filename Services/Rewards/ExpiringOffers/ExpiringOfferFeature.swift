import RewardsContract
import ServiceKit

/// Offers that end soon, for accounts that want notices of them (NOT-5).
struct ExpiringOfferFeature: Feature {
  /// How many days before its end an offer counts as ending soon.
  let noticeDays: Int

  init(_ settings: Settings) {
    noticeDays = settings.int("racha.offers.expiryNoticeDays", default: 3, in: 1...30)
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(GetExpiringOffers.self, read: ExpiringOfferHandlers(noticeDays: noticeDays).get)
  }
}
