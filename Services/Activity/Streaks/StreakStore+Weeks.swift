import ActivityContract
import GRDB
import Operations
import Storage

extension StreakStore {
  /// The activities whose streak may have continued or been broken in a past week, in the account's order, with their titles; without
  /// archived activities.
  static func candidates(
    of account: AccountID, in days: ClosedRange<LocalDay>, _ database: Database
  ) throws -> [(activity: ActivityID, title: String)] {
    var found: [(activity: ActivityID, title: String)] = []
    try database.each(
      """
      SELECT a.activity_id, a.title FROM activities a JOIN streaks s USING (activity_id)
      WHERE a.account_id = ? AND a.archived_day IS NULL AND (s.run IS NULL OR s.run > 0 OR s.day >= ?)
      ORDER BY a.position, a.activity_id
      """, .id(account), .day(days.lowerBound)
    ) { row in
      found.append((try row.id(0), row.text(1)))
      return true
    }
    return found
  }
}
