import GRDB
import RewardsContract
import ServiceKit

/// The statistics of partners' offers.
enum OfferViewHandlers {
  static func statistics(
    _ input: GetOfferStatistics.Input, _ call: AccountCall, _ database: Database
  ) throws -> GetOfferStatistics.Output {
    let partner = try PartnerMemberStore.partner(of: call.account, in: database)
    if let offer = input.offerID { _ = try PartnerOfferStore.required(offer, of: partner, in: database) }
    return GetOfferStatistics.Output(days: try OfferViewStore.statistics(of: partner, input, in: database))
  }
}
