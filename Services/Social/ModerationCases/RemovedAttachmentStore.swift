import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The data of a task's file that a case removed, kept until an appeal can no longer be granted. The case's reports keep its content.
enum RemovedAttachmentStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "files of tasks that moderators removed") { database in
      try database.execute(
        sql: """
          CREATE TABLE removed_task_attachments (
            case_id BLOB NOT NULL PRIMARY KEY REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
            attachment_id BLOB NOT NULL CHECK (length(attachment_id) = 16),
            task_id BLOB NOT NULL CHECK (length(task_id) = 16),
            -- As in task_attachments.
            account_id BLOB CHECK (length(account_id) = 16),
            charged_account BLOB CHECK (length(charged_account) = 16),
            name TEXT NOT NULL,
            media_type TEXT NOT NULL,
            sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
            total_bytes INTEGER NOT NULL,
            attached_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  private static let columns =
    "attachment_id, task_id, account_id, charged_account, name, media_type, sha256, total_bytes, attached_at"

  /// Keeps an attachment that a case is about to remove.
  static func keep(_ attachment: ID<TaskAttachment>, by id: ID<ModerationCase>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO removed_task_attachments (case_id, \(columns))
        SELECT ?, \(columns) FROM task_attachments WHERE attachment_id = ?
        """
    ).execute(arguments: [id, attachment])
  }

  /// Attaches the file that a case removed again, if its task still exists.
  ///
  /// - Returns: the attachment; nil where there is none.
  static func restore(by id: ID<ModerationCase>, _ transaction: Transaction) throws -> ID<TaskAttachment>? {
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO task_attachments (\(columns))
        SELECT \(columns) FROM removed_task_attachments r WHERE case_id = ?
          AND EXISTS (SELECT 1 FROM tasks t WHERE t.task_id = r.task_id)
          AND EXISTS (SELECT 1 FROM task_attachment_contents c WHERE c.sha256 = r.sha256)
        ON CONFLICT DO NOTHING RETURNING attachment_id
        """)
    let restored = try ID<TaskAttachment>.fetchOne(statement, arguments: [id])
    try forget(id, transaction)
    return restored
  }

  /// Forgets what a case removed.
  static func forget(_ id: ID<ModerationCase>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM removed_task_attachments WHERE case_id = ?")
      .execute(arguments: [id])
  }
}
