import ActivityContract
import GRDB
import Operations
import Storage

extension EntryStore {
  static let progressOver = """
    SELECT entries.activity_id, day, progress FROM activities JOIN entries ON entries.activity_id = activities.activity_id
    WHERE activities.account_id = ?1 AND day BETWEEN ?2 AND ?3 ORDER BY activities.activity_id, day
    """

  /// The progress of each day that has an entry, oldest first, of all activities of an account.
  static func progress(
    ofAll account: AccountID, over days: ClosedRange<LocalDay>, in database: Database
  ) throws -> [ActivityID: [DayProgress]] {
    var progress: [ActivityID: [DayProgress]] = [:]
    try database.each(progressOver, .id(account), .day(days.lowerBound), .day(days.upperBound)) { row in
      progress[try row.id(0), default: []].append(DayProgress(day: row.day(1), progress: row.number(2)))
      return true
    }
    return progress
  }
}
