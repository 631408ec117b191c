import ActivityContract
import GRDB
import Operations

/// Reads whole plans of activities from the store.
enum PlanStore {
  /// The plan of an activity.
  ///
  /// - Parameter lostDays: the days that its account lost.
  static func find(_ activity: ActivityID, lostDays: Set<LocalDay>, in database: Database) throws -> Plan {
    let pauses = try database.cachedStatement(
      sql: "SELECT first_day, last_day FROM activity_pauses WHERE activity_id = ? ORDER BY first_day")
    let skips = try database.cachedStatement(sql: "SELECT day FROM activity_skips WHERE activity_id = ?")
    return Plan(
      try ActivityVersionStore.list(of: activity, in: database),
      pauses: try Row.fetchAll(pauses, arguments: [activity]).map { row in (row[0] as LocalDay)...(row[1] as LocalDay) },
      skips: try LocalDay.fetchSet(skips, arguments: [activity]),
      lostDays: lostDays)
  }
}
