import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Sources of movement: what has measured an account, by priority.
struct MovementSourceFeature: Feature {
  /// Lets days be counted anew.
  let recount: WakeSignal
  let tables: [ErasedTable] = [
    .rows("movement_sources", MovementAccount.ownedRows, .steps),
    .rows("movement_accounts", "account_id = :account", .steps),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListMovementSources.self, read: MovementSourceHandlers.list)
    service.serve(OrderMovementSources.self, write: MovementSourceHandlers(recount: recount).order)
  }
}
