import ActivityContract
import GRDB
import Operations
import Storage

extension EntryStore {
  /// How many entries of an account are done on some days.
  static func doneCount(of account: AccountID, in days: ClosedRange<LocalDay>, _ database: Database) throws -> Int {
    try database.first(
      """
      SELECT count(*) FROM entries WHERE account_id = ? AND day BETWEEN ? AND ? AND is_done = 1
        AND NOT EXISTS (SELECT 1 FROM deleted_activities WHERE deleted_activities.activity_id = entries.activity_id)
      """, .id(account), .day(days.lowerBound), .day(days.upperBound)
    ) { $0.number(0) } ?? 0
  }
}
