import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The account responsible for a task: its creator or, once that account was deleted, the participant who has taken part for longest. It
/// edits and cancels the task, enrols and removes others, and deletes files.
extension TaskStore {
  /// In SQL, whether who takes part in a task answers for it.
  ///
  /// - Parameters:
  ///   - participant: the name of `task_participants` in the query.
  ///   - task: the name of `tasks` in it.
  static func isResponsible(_ participant: String, for task: String) -> String {
    """
    iif(\(task).creator_account IS NOT NULL, \(task).creator_account = \(participant).account_id, NOT EXISTS (
      SELECT 1 FROM task_participants r WHERE r.task_id = \(task).task_id AND \(isThere)
        AND (r.enrolled_at, r.account_id) < (\(participant).enrolled_at, \(participant).account_id)))
    """
  }

  private static let isThere =
    "r.state <> 'left' AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = r.account_id)"

  /// The account responsible for a task; nil where no participant is left.
  static func responsible(for task: Stored, in database: Database) throws -> AccountID? {
    if let creator = task.creator { return creator }
    let statement = try database.cachedStatement(
      sql: """
        SELECT r.account_id FROM task_participants r WHERE r.task_id = ? AND \(isThere)
        ORDER BY r.enrolled_at, r.account_id LIMIT 1
        """)
    return try AccountID.fetchOne(statement, arguments: [task.id])
  }
}
