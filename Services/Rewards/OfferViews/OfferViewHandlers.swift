import GRDB
import RewardsContract
import ServiceKit

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
