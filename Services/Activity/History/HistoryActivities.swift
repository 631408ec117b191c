import ActivityContract
import GRDB
import Operations
import Storage

/// Entries of some activities, newest first.
enum HistoryActivities {
  static func take(
    _ activities: Set<ActivityID>, of account: AccountID, _ days: ClosedRange<LocalDay>, _ candidates: inout HistoryCandidates,
    in database: Database
  ) throws {
    let search = candidates.search
    let source: HistoryStore.Source = search.area != nil || search.needsPlace ? .places : .entries
    var window = try HistoryWindow(days, of: account, source, in: database)
    while let days = candidates.next(&window) {
      var found: [HistoryPosition] = []
      for activity in activities {
        found += try HistoryStore.list(source, of: activity, account, days, in: database)
      }
      let lookUps = (search.text == nil ? 0 : 1) + (search.area == nil ? 0 : 1)
      try candidates.take(found, of: days, lookUps: lookUps) {
        // The place is already known to exist.
        try search.hasText($0, in: database) && (search.area == nil || search.hasPlace($0, in: database))
      }
    }
  }
}
