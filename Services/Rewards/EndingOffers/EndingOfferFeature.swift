import RewardsContract
import ServiceKit

/// Offers that end soon, for those who ask to be told of them (NOT-5).
struct EndingOfferFeature: Feature {
  /// How many days before its end an offer ends soon.
  let noticeDays: Int

  init(_ settings: Settings) {
    noticeDays = settings.int("racha.offers.endingNoticeDays", default: 3, in: 1...30)
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(ReadEndingOffers.self, read: EndingOfferHandlers(noticeDays: noticeDays).read)
  }
}
