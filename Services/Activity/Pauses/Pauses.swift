import ActivityContract
import GRDB
import Operations
import Storage

/// The pauses of all activities; those of one never overlap.
enum Pauses {
  /// How many an activity may have.
  static let most = 200

  /// An activity's pauses, oldest first.
  static func list(of activity: ActivityID, in database: Database) throws -> [Pause] {
    let statement = try database.cachedStatement(
      sql: "SELECT pause_id, first_day, last_day FROM activity_pauses WHERE activity_id = ? ORDER BY first_day")
    return try Row.fetchAll(statement, arguments: [activity]).map { row in
      Pause(id: row[0], activityID: activity, firstDay: row[1], lastDay: row[2])
    }
  }

  /// Keeps a new pause, or another range of days for one.
  ///
  /// - Throws: ``PauseFailure/overlaps`` where one of its days is paused by another, ``PauseFailure/tooMany``.
  static func put(_ pause: Pause, _ transaction: Transaction) throws {
    let others = try list(of: pause.activityID, in: transaction.database).filter { $0.id != pause.id }
    if let other = others.first(where: { $0.firstDay <= pause.lastDay && pause.firstDay <= $0.lastDay }) {
      throw PauseFailure.overlaps.with([
        "first": .text(other.firstDay.description), "last": .text(other.lastDay.description),
      ])
    }
    guard others.count < most else { throw PauseFailure.tooMany.with(["most": .number(most)]) }
    try transaction.database.run(
      """
      INSERT INTO activity_pauses (pause_id, activity_id, first_day, last_day) VALUES (?, ?, ?, ?)
      ON CONFLICT (pause_id) DO UPDATE SET first_day = excluded.first_day, last_day = excluded.last_day
      """, .id(pause.id), .id(pause.activityID), .day(pause.firstDay), .day(pause.lastDay))
  }

  /// That pause of the activity.
  static func find(_ id: PauseID, of activity: ActivityID, in database: Database) throws -> Pause {
    let found = try database.first(
      "SELECT first_day, last_day FROM activity_pauses WHERE pause_id = ? AND activity_id = ?", .id(id), .id(activity)
    ) { Pause(id: id, activityID: activity, firstDay: $0.day(0), lastDay: $0.day(1)) }
    guard let found else { throw PauseFailure.notFound }
    return found
  }

  static func delete(_ pause: Pause, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM activity_pauses WHERE pause_id = ?", .id(pause.id))
  }
}
