import IdentityContract
import RewardsContract
import ServiceKit
import Storage

/// Corrections of balances by administrators, each with a reason (REW-2).
struct AdjustmentFeature: Feature {
  let expiry: CoinExpiry
  let migrations = [AdjustmentStore.migration(14)]
  let tables: [ErasedTable] = [
    .changed(
      "coin_adjustments", "administrator_id = :account", .coins,
      by: "UPDATE coin_adjustments SET administrator_id = NULL WHERE administrator_id = :account")
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = AdjustmentHandlers(expiry: expiry)
    service.serve(AdjustCoins.self, prepare: handlers.prepare, write: handlers.adjust)
  }
}
