import IdentityContract
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Statistics of partners' offers, counted by day (REW-3).
struct OfferViewFeature: Feature {
  let migrations = [OfferViewStore.migration(20)]
  let tables: [ErasedTable] = [
    .untouched("offer_figures", "counts alone"),
    .rows("offer_viewers", "account_id = :account", .redemptions),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(GetOfferStatistics.self, read: OfferViewHandlers.statistics)
  }
}
