import ActivityContract
import GRDB
import Operations

/// The plans of activities, read whole from the store.
enum Plans {
  /// The plan of an activity of that account.
  ///
  /// - Parameter calendar: how the account counts its days.
  static func find(
    _ activity: ActivityID, of account: AccountID, _ calendar: LocalCalendar, in database: Database
  ) throws -> Plan {
    let pauses = try database.cachedStatement(
      sql: "SELECT first_day, last_day FROM activity_pauses WHERE activity_id = ? ORDER BY first_day")
    let skips = try database.cachedStatement(sql: "SELECT day FROM activity_skips WHERE activity_id = ?")
    return Plan(
      try ActivityVersions.list(of: activity, in: database),
      pauses: try Row.fetchAll(pauses, arguments: [activity]).map { row in (row[0] as LocalDay)...(row[1] as LocalDay) },
      skips: try LocalDay.fetchSet(skips, arguments: [activity]),
      lostDays: try LostDays.find(account, calendar, in: database))
  }
}
