import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Statistics: the figures of a profile.
///
/// Triggers of entries maintain the active days: rows with something done are deleted with the entries, and the remaining rows without are
/// erased after them.
struct StatisticsFeature: Feature {
  let calendars: AccountCalendars
  let migrations = [ActiveDayStore.migration(14)]
  let tables: [ErasedTable] = [.rows("active_days", "account_id = :account", .profiles)]

  func register(in service: inout ServiceDefinition) {
    service.serve(GetStatistics.self, read: StatisticsHandlers(calendars: calendars).get)
  }
}
