import ActivityContract
import GRDB
import Operations
import Storage

/// The days of activities that accounts skip.
enum SkipStore {
  /// The table as ``ActivityVersionStore/migration(_:)`` creates it.
  static let table = """
    CREATE TABLE activity_skips (
      activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
      day INTEGER NOT NULL,
      PRIMARY KEY (activity_id, day)
    ) STRICT, WITHOUT ROWID;
    """

  static func put(_ skip: Skip, _ transaction: Transaction) throws {
    try transaction.database.run(
      "INSERT INTO activity_skips (activity_id, day) VALUES (?, ?) ON CONFLICT DO NOTHING", .id(skip.activityID), .day(skip.day))
  }

  /// - Returns: whether the day was skipped.
  static func delete(_ skip: Skip, _ transaction: Transaction) throws -> Bool {
    try transaction.database.run(
      "DELETE FROM activity_skips WHERE activity_id = ? AND day = ?", .id(skip.activityID), .day(skip.day))
    return transaction.database.changesCount > 0
  }
}
