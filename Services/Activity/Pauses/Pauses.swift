import ActivityContract
import GRDB
import Operations

/// The pauses of all activities; those of one never overlap.
enum Pauses {
  /// An activity's pauses, oldest first.
  static func list(of activity: ActivityID, in database: Database) throws -> [Pause] {
    let statement = try database.cachedStatement(
      sql: "SELECT pause_id, first_day, last_day FROM activity_pauses WHERE activity_id = ? ORDER BY first_day")
    return try Row.fetchAll(statement, arguments: [activity]).map { row in
      Pause(id: row[0], activityID: activity, firstDay: row[1], lastDay: row[2])
    }
  }
}
