import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Days of movement: each day's totals, and the worker that counts stale days again.
struct MovementDayFeature: Feature {
  let calendars: AccountCalendars
  let rules: FairnessRules
  let recount: WakeSignal
  let migrations = [MovementDayStore.flagsMigration(42), MovementDayStore.earningDistancesMigration(45)]
  let tables: [ErasedTable] = [
    .rows("movement_day_sources", MovementAccount.ownedRows, .steps),
    .rows("movement_stale_days", MovementAccount.ownedRows, .steps),
    .rows("movement_days", "account_id = :account", .steps),
    .rows("movement_months", "account_id = :account", .steps),
  ]
  let snapshot = [SnapshotPart("movement", MovementDaysChanged.self, page: MovementDayStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListMovementDays.self, read: MovementDayHandlers(rules: rules).list)
    service.run { [recount, calendars, rules] store in
      MovementDayWorker(store: store, signal: recount, calendars: calendars, rules: rules)
    }
  }
}
