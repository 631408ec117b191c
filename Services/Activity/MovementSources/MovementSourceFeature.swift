import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Sources of movement: the programs and devices that measured for an account, by priority.
struct MovementSourceFeature: Feature {
  /// Wakes the worker that counts stale days again.
  let recount: WakeSignal
  /// Wakes the worker that marks days as stale after the order of sources was changed.
  let reorders = WakeSignal()
  let migrations = [MovementDayStore.reordersMigration(51)]
  let tables: [ErasedTable] = [
    .rows("movement_reorders", "account_id = :account", .steps),
    .rows("movement_sources", MovementAccount.ownedRows, .steps),
    .rows("movement_accounts", "account_id = :account", .steps),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListMovementSources.self, read: MovementSourceHandlers.list)
    service.serve(ReorderMovementSources.self, write: MovementSourceHandlers(reorders: reorders).reorder)
    service.run { [reorders, recount] store in
      RoundRobinWorker(
        "new orders of sources", of: "movement_reorders", by: "account_id", limits: StepLimits(first: 30, max: 1_000),
        store: store, signal: reorders
      ) { (account: AccountID, days, transaction) in
        try MovementDayStore.noteStale(of: account, days: days, in: transaction.database)
        transaction.afterCommit { recount.send() }
      }
    }
  }
}
