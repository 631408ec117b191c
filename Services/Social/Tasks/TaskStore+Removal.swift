import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Texts of tasks that moderators removed with those of the recurring task that they come from, see ``RemovedTaskText``.
extension TaskStore {
  static let removalSchema = RemovedTaskText.schema(of: "tasks")

  /// Gives a task a neutral name in place of the text that a case removed, and publishes it.
  static func removeText(
    of task: Stored, _ neutral: TaskName, by found: ID<ModerationCase>, _ transaction: Transaction
  ) throws {
    try edit(task.id, TaskText(name: neutral, description: nil, dueDay: task.text.dueDay), transaction)
    try transaction.database.cachedStatement(sql: "UPDATE tasks SET removed_by = ? WHERE task_id = ?").execute(arguments: [
      found, task.id,
    ])
  }

  /// Restores the text that a case removed, wherever nothing else was written in its place, and publishes those tasks.
  static func restoreText(
    _ name: TaskName, _ description: TaskDescription?, removedBy found: ID<ModerationCase>, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let tasks = try ID<SharedTask>.fetchAll(
      database.cachedStatement(sql: "SELECT task_id FROM tasks WHERE removed_by = ?"), arguments: [found])
    for task in try tasks.compactMap({ try find($0, in: database) }) {
      try edit(task.id, TaskText(name: name, description: description, dueDay: task.text.dueDay), transaction)
    }
  }

  /// Marks the text of a new occurrence as removed if that of its series is.
  static func carryRemoval(from series: ID<TaskSeries>, to task: ID<SharedTask>, in database: Database) throws {
    try database.run(
      """
      UPDATE tasks SET removed_by = s.removed_by FROM task_series s
      WHERE s.series_id = ? AND s.removed_by IS NOT NULL AND tasks.task_id = ?
      """, .id(series), .id(task))
  }

  /// The recurring task of an occurrence; nil for any other task.
  static func series(of task: ID<SharedTask>, in database: Database) throws -> ID<TaskSeries>? {
    try ID<TaskSeries>.fetchOne(
      database.cachedStatement(sql: "SELECT series_id FROM tasks WHERE task_id = ? AND series_id IS NOT NULL"), arguments: [task])
  }
}
