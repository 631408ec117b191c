import IdentityContract
import ServiceKit
import Storage

/// Local days: how each account counts its days, and which days it lost by travelling.
struct LocalDayFeature: Feature {
  let calendars: AccountCalendars
  let migrations = [LostDayStore.migration(20)]
  let tables: [ErasedTable] = [.rows("lost_days", "account_id = :account", .activities)]

  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try LostDayStore.note(move, calendars.zones, transaction)
  }
}
