import GRDB
import IdentityContract
import Operations
import RewardsContract
import ServiceKit
import Storage

/// What becomes of partners' offers, counted day by day (REW-3).
struct OfferViewFeature: Feature {
  let migrations = [OfferViewStore.migration(20)]
  let tables: [ErasedTable] = [
    .untouched("offer_figures", "counts alone"),
    .rows("offer_viewers", "account_id = :account", .redemptions),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(GetOfferFigures.self, read: OfferViewHandlers.figures)
  }
}

/// The figures of partners' offers.
enum OfferViewHandlers {
  static func figures(
    _ input: GetOfferFigures.Input, _ call: AccountCall, _ database: Database
  ) throws -> GetOfferFigures.Output {
    let partner = try PartnerMemberStore.partner(of: call.account, in: database)
    if let offer = input.offerID { _ = try PartnerOfferStore.required(offer, of: partner, in: database) }
    return GetOfferFigures.Output(days: try OfferViewStore.figures(of: partner, input, in: database))
  }
}
