import ActivityContract
import GRDB
import Operations
import Storage

/// Entries of some activities, newest first.
enum HistoryActivities {
  // By activity and day: the plus keeps SQLite from going through all that the account has on those days instead.
  static let entries = "SELECT day FROM entries WHERE activity_id = ? AND +account_id = ? AND day BETWEEN ? AND ?"
  static let places = "SELECT day FROM entry_places WHERE activity_id = ? AND +account_id = ? AND day BETWEEN ? AND ?"

  static func take(
    _ activities: Set<ActivityID>, of account: AccountID, _ days: ClosedRange<LocalDay>, _ candidates: inout HistoryCandidates,
    in database: Database
  ) throws {
    let search = candidates.search
    let hasPlace = search.area != nil || search.needsPlace
    var window = try HistoryWindow(days, of: account, hasPlace ? "entry_places" : "entries", in: database)
    while let days = candidates.next(&window) {
      var found: [HistoryPosition] = []
      for activity in activities {
        try database.each(
          hasPlace ? places : entries, .id(activity), .id(account), .day(days.lowerBound), .day(days.upperBound)
        ) {
          found.append(HistoryPosition(day: $0.day(0), activity: activity))
          return true
        }
      }
      let lookUps = (search.text == nil ? 0 : 1) + (search.area == nil ? 0 : 1)
      try candidates.take(found, of: days, lookUps: lookUps) {
        // That it has a place is known.
        try search.hasText($0, in: database) && (search.area == nil || search.hasPlace($0, in: database))
      }
    }
  }
}
