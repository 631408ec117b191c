import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Texts of recurring tasks that moderators removed, see ``RemovedTaskText``.
extension TaskSeriesStore {
  static let removalSchema = RemovedTaskText.schema(of: "task_series")

  /// Replaces a series's text by a neutral name, unless a case removed it already.
  ///
  /// - Returns: whether it was replaced.
  static func removeText(
    of id: ID<TaskSeries>, _ neutral: TaskName, by found: ID<ModerationCase>, _ transaction: Transaction
  ) throws -> Bool {
    let database = transaction.database
    try database.cachedStatement(
      sql: "UPDATE task_series SET name = ?, description = NULL, removed_by = ? WHERE series_id = ? AND removed_by IS NULL"
    ).execute(arguments: [neutral, found, id])
    return database.changesCount > 0
  }

  /// Gives back the text that a case removed, unless something else was written in its place.
  static func restoreText(
    _ name: TaskName, _ description: TaskDescription?, removedBy found: ID<ModerationCase>, _ transaction: Transaction
  ) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE task_series SET name = ?, description = ?, removed_by = NULL WHERE removed_by = ?"
    ).execute(arguments: [name, description, found])
  }
}
