import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Statistics: the figures of a profile.
///
/// Which days are active is kept by triggers of entries: those with something done go with the entries, and what counts none is left to be
/// erased behind them.
struct StatisticsFeature: Feature {
  let calendars: AccountCalendars
  let migrations = [ActiveDayStore.migration(14)]
  let tables: [ErasedTable] = [.rows("active_days", "account_id = :account", .profiles)]

  func register(in service: inout ServiceDefinition) {
    service.serve(GetStatistics.self, read: StatisticsHandlers(calendars: calendars).get)
  }
}
