import ActivityContract
import GRDB
import Operations
import Storage

extension EntryStore {
  /// The first day that has an entry.
  static func firstDay(of activity: ActivityID, in database: Database) throws -> LocalDay? {
    try database.first("SELECT day FROM entries WHERE activity_id = ? ORDER BY day LIMIT 1", .id(activity)) { $0.day(0) }
  }

  /// The last day with an entry, not before the given day.
  static func lastDay(of activity: ActivityID, from day: LocalDay, in database: Database) throws -> LocalDay? {
    try database.first(
      "SELECT day FROM entries WHERE activity_id = ? AND day >= ? ORDER BY day DESC LIMIT 1", .id(activity), .day(day)
    ) { $0.day(0) }
  }

  /// The days with an entry, from the given day on. There can be more than one after today where the account travelled across the date
  /// line.
  static func days(of activity: ActivityID, from day: LocalDay, in database: Database) throws -> [LocalDay] {
    let statement = try database.cachedStatement(
      sql: "SELECT day FROM entries WHERE activity_id = ? AND day >= ? ORDER BY day")
    return try LocalDay.fetchAll(statement, arguments: [activity, day])
  }

  /// Evaluates the entries from a day on again after the goal has changed, and publishes those whose result changed.
  static func reevaluate(
    _ activity: ActivityID, of account: AccountID, from day: LocalDay, today: LocalDay, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let found = try database.cachedStatement(
      sql: "SELECT day, progress, is_done FROM entries WHERE activity_id = ? AND day >= ? ORDER BY day")
    for row in try Row.fetchAll(found, arguments: [activity, day]) {
      let (day, progress, wasDone): (LocalDay, Int, Bool) = (row["day"], row["progress"], row["is_done"])
      let goal = try ActivityStore.goal(activity, of: account, on: day, today: today, in: database)
      let isDone = goal.isDone(progress)
      try database.run(
        "UPDATE entries SET is_done = ?3, closes_at = ?4 WHERE activity_id = ?1 AND day = ?2", .id(activity), .day(day),
        .truth(isDone), goal.closing(progress))
      if isDone != wasDone { try publish(progress, goal, of: account, transaction) }
    }
  }
}
