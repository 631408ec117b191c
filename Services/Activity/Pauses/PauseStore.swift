import ActivityContract
import GRDB
import Operations
import Storage

/// The pauses of all activities. Pauses that an account made never overlap within an activity; the archive's own may overlap them.
enum PauseStore {
  /// The table as ``ActivityVersionStore/migration(_:)`` creates it.
  static let table = """
    CREATE TABLE activity_pauses (
      pause_id BLOB NOT NULL PRIMARY KEY CHECK (length(pause_id) = 16),
      activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
      first_day INTEGER NOT NULL,
      last_day INTEGER NOT NULL CHECK (last_day >= first_day)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX activity_pauses_by_day ON activity_pauses (activity_id, first_day, last_day);
    """

  /// The maximum number of pauses that an account may make per activity.
  static let maximum = 200

  /// An activity's pauses, including the archive's own, oldest first.
  static func list(of activity: ActivityID, in database: Database) throws -> [Pause] {
    let statement = try database.cachedStatement(
      sql: "SELECT pause_id, first_day, last_day, is_archive FROM activity_pauses WHERE activity_id = ? ORDER BY first_day")
    return try Row.fetchAll(statement, arguments: [activity]).map { row in
      Pause(id: row[0], activityID: activity, firstDay: row[1], lastDay: row[2], isArchive: row[3])
    }
  }

  /// Stores a pause that an account creates or changes.
  ///
  /// - Throws: ``PauseFailure/overlaps`` where another pause covers one of its days, ``PauseFailure/tooMany``.
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

  /// Returns the activity's pause with that id, to be changed.
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

  /// Stores a pause without checking others.
  static func keep(_ pause: Pause, _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      INSERT INTO activity_pauses (pause_id, activity_id, first_day, last_day, is_archive) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (pause_id) DO UPDATE SET first_day = excluded.first_day, last_day = excluded.last_day
      """, .id(pause.id), .id(pause.activityID), .day(pause.firstDay), .day(pause.lastDay), .truth(pause.isArchive))
  }
}
