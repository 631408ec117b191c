import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Texts of parts that moderators removed, see ``RemovedTaskText``.
extension TaskPartStore {
  static let removalSchema = RemovedTaskText.schema(of: "task_parts")

  /// Replaces the text of a task's parts that have the same text as a part by a neutral title, unless a case removed it already.
  ///
  /// - Returns: whether there were any.
  static func removeText(
    of part: Stored, in task: ID<SharedTask>, _ neutral: TaskName, by found: ID<ModerationCase>, _ transaction: Transaction
  ) throws -> Bool {
    let database = transaction.database
    let statement = try database.cachedStatement(
      sql: """
        UPDATE task_parts SET title = :neutral, description = NULL, removed_by = :case
        WHERE task_id = :task AND title = :title AND description IS :description AND author_account IS :author
          AND removed_by IS NULL
        """)
    try statement.execute(arguments: [
      "neutral": neutral, "case": found, "task": task, "title": part.text.title, "description": part.text.description,
      "author": part.author,
    ])
    guard database.changesCount > 0 else { return false }
    try TaskStore.settle(task, transaction)
    return true
  }

  /// Restores the text that a case removed, wherever nothing else was written in its place.
  static func restoreText(
    _ title: TaskName, _ description: TaskDescription?, removedBy found: ID<ModerationCase>, _ transaction: Transaction
  ) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE task_parts SET title = ?, description = ?, removed_by = NULL WHERE removed_by = ? RETURNING task_id")
    let tasks = try ID<SharedTask>.fetchAll(statement, arguments: [title, description, found])
    for task in Set(tasks) { try TaskStore.settle(task, transaction) }
  }
}
