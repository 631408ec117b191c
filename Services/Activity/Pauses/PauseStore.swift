import ActivityContract
import GRDB
import Operations
import Storage

/// The pauses of all activities. Those of one that its account has made never overlap; the archive's own may lie over them.
enum PauseStore {
  /// As ``ActivityVersionStore/migration(_:)`` makes it.
  static let table = """
    CREATE TABLE activity_pauses (
      pause_id BLOB NOT NULL PRIMARY KEY CHECK (length(pause_id) = 16),
      activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
      first_day INTEGER NOT NULL,
      last_day INTEGER NOT NULL CHECK (last_day >= first_day)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX activity_pauses_by_day ON activity_pauses (activity_id, first_day, last_day);
    """

  /// How many an account may make of an activity.
  static let maximum = 200

  /// An activity's pauses, the archive's own among them, oldest first.
  static func list(of activity: ActivityID, in database: Database) throws -> [Pause] {
    let statement = try database.cachedStatement(
      sql: "SELECT pause_id, first_day, last_day, is_archive FROM activity_pauses WHERE activity_id = ? ORDER BY first_day")
    return try Row.fetchAll(statement, arguments: [activity]).map { row in
      Pause(id: row[0], activityID: activity, firstDay: row[1], lastDay: row[2], isArchive: row[3])
    }
  }

  /// Keeps a new pause that an account makes, or another range of days for one.
  ///
  /// - Throws: ``PauseFailure/overlaps`` where one of its days is paused by another, ``PauseFailure/tooMany``.
  static func put(_ pause: Pause, _ transaction: Transaction) throws {
    let others = try list(of: pause.activityID, in: transaction.database).filter { $0.id != pause.id && !$0.isArchive }
    if let other = others.first(where: { $0.firstDay <= pause.lastDay && pause.firstDay <= $0.lastDay }) {
      throw PauseFailure.overlaps.with([
        "first": .text(other.firstDay.description), "last": .text(other.lastDay.description),
      ])
    }
    guard others.count < maximum else { throw PauseFailure.tooMany.with(["max": .number(maximum)]) }
    try keep(pause, transaction)
  }

  /// That pause of the activity, to be changed.
  ///
  /// - Throws: ``ActivityFailure/archived`` for the archive's own, which ends when the activity is unarchived.
  static func find(_ id: PauseID, of activity: ActivityID, in database: Database) throws -> Pause {
    let found = try database.first(
      "SELECT first_day, last_day, is_archive FROM activity_pauses WHERE pause_id = ? AND activity_id = ?", .id(id), .id(activity)
    ) { Pause(id: id, activityID: activity, firstDay: $0.day(0), lastDay: $0.day(1), isArchive: $0.truth(2)) }
    guard let found else { throw PauseFailure.notFound }
    guard !found.isArchive else { throw ActivityFailure.archived }
    return found
  }

  static func delete(_ pause: Pause, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM activity_pauses WHERE pause_id = ?", .id(pause.id))
  }

  /// Keeps a pause, whatever others there are.
  static func keep(_ pause: Pause, _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      INSERT INTO activity_pauses (pause_id, activity_id, first_day, last_day, is_archive) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (pause_id) DO UPDATE SET first_day = excluded.first_day, last_day = excluded.last_day
      """, .id(pause.id), .id(pause.activityID), .day(pause.firstDay), .day(pause.lastDay), .truth(pause.isArchive))
  }
}
