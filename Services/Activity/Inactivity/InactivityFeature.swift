import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Notices about days without movement, sent after as many as the account chose (NOT-3).
struct InactivityFeature: Feature {
  let calendars: AccountCalendars
  let clock: Clock
  let migrations = [InactivityStore.migration(47), InactivityStore.nameMigration(49)]
  let tables: [ErasedTable] = [.rows("inactivity_notices", "account_id = :account", .steps)]

  func register(in service: inout ServiceDefinition) {
    let handlers = InactivityHandlers(calendars: calendars)
    service.serve(GetInactivityNotice.self, read: InactivityHandlers.get)
    service.serve(SetInactivityNotice.self, prepare: InactivityHandlers.prepareSet, write: handlers.set)
    service.serve(ClearInactivityNotice.self, write: InactivityHandlers.clear)
    service.run { [calendars, clock] store in InactivityWorker(store: store, calendars: calendars, clock: clock) }
  }

  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try InactivityStore.recheck(of: move.account, transaction)
  }
}
