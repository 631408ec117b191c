import ActivityContract
import IdentityContract
import RewardsContract
import ServiceKit
import Storage

/// Coins for steps (REW-1): each account's days are counted as activity publishes them.
struct CoinFeature: Feature {
  let formula: CoinFormula

  let migrations = [CoinStore.migration(3)]
  let tables: [ErasedTable] = [
    .rows("counted_days", "account_id = :account", .steps),
    .rows("earnings", "account_id = :account", .steps),
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = CoinHandlers(formula: formula)
    service.serveAtOnce(GetBalance.self, handlers.balance)
    service.serve(ListTransfers.self, read: handlers.transfers)
    service.subscribe(to: MovementChanged.self, CoinSubscriptions(formula: formula).movementChanged)
  }
}
