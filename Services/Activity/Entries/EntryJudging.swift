import ActivityContract
import GRDB
import Operations
import Storage

extension Entries {
  /// The first day that has an entry.
  static func firstDay(of activity: ActivityID, in database: Database) throws -> LocalDay? {
    try database.first("SELECT day FROM entries WHERE activity_id = ? ORDER BY day LIMIT 1", .id(activity)) { $0.day(0) }
  }

  /// The last day from that one on which has an entry. Of more than one day they are where the account travelled over the date line.
  static func lastDay(of activity: ActivityID, from day: LocalDay, in database: Database) throws -> LocalDay? {
    try database.first(
      "SELECT day FROM entries WHERE activity_id = ? AND day >= ? ORDER BY day DESC LIMIT 1", .id(activity), .day(day)
    ) { $0.day(0) }
  }

  /// Judges the entries from a day on by a goal that has changed, and tells of those that are done now or no longer.
  static func judgeAnew(
    _ activity: ActivityID, of account: AccountID, from day: LocalDay, by measure: GoalMeasure, _ transaction: Transaction
  ) throws {
    let found = try transaction.database.cachedStatement(
      sql: "SELECT day, progress, is_done FROM entries WHERE activity_id = ? AND day >= ? ORDER BY day")
    for row in try Row.fetchAll(found, arguments: [activity, day]) {
      let (day, progress, wasDone): (LocalDay, Int, Bool) = (row["day"], row["progress"], row["is_done"])
      let isDone = measure.isDone(progress)
      guard isDone != wasDone else { continue }
      try transaction.database.run(
        "UPDATE entries SET is_done = ? WHERE activity_id = ? AND day = ?", .truth(isDone), .id(activity), .day(day))
      try transaction.tell(
        EntryRecorded(
          accountID: account, activityID: activity, day: day, isDone: isDone, isDeleted: false,
          amount: measure.amount(progress), durationSeconds: measure.durationSeconds(progress), recordedAt: transaction.now))
    }
  }
}
