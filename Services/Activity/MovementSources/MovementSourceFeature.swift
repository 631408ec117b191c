import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Sources of movement: the programs and devices that measured for an account, by priority.
struct MovementSourceFeature: Feature {
  /// Wakes the worker that counts stale days again.
  let recount: WakeSignal
  let tables: [ErasedTable] = [
    .rows("movement_sources", MovementAccount.ownedRows, .steps),
    .rows("movement_accounts", "account_id = :account", .steps),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListMovementSources.self, read: MovementSourceHandlers.list)
    service.serve(ReorderMovementSources.self, write: MovementSourceHandlers(recount: recount).reorder)
  }
}
