public import GRDB
import IdentityContract
import Operations
import ServiceKit
public import SocialContract
import Storage

extension TaskAttachmentName: DatabaseValueConvertible {}
extension TaskAttachmentType: DatabaseValueConvertible {}

/// The attachments of all tasks and their contents: each content once, with a reference count by triggers over attachments and reports.
enum TaskAttachmentStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "task attachments") { try $0.execute(sql: schema + TaskAttachmentUploadStore.schema + following) }
  }

  private static let schema = """
    -- A file for each: see TaskAttachmentFiles.
    CREATE TABLE task_attachment_contents (
      sha256 BLOB NOT NULL PRIMARY KEY CHECK (length(sha256) = 32),
      total_bytes INTEGER NOT NULL CHECK (total_bytes > 0),
      reference_count INTEGER NOT NULL DEFAULT 0 CHECK (reference_count >= 0)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX task_attachment_contents_unreferenced ON task_attachment_contents (sha256) WHERE reference_count = 0;

    CREATE TABLE task_attachments (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      attachment_id BLOB NOT NULL UNIQUE CHECK (length(attachment_id) = 16),
      task_id BLOB NOT NULL CHECK (length(task_id) = 16),
      -- Null where it came by the task's token.
      account_id BLOB CHECK (length(account_id) = 16),
      -- Who answers for the room that it takes: who attached it, or who made the token, until that account is deleted.
      charged_account BLOB CHECK (length(charged_account) = 16),
      name TEXT NOT NULL CHECK (name <> ''),
      media_type TEXT NOT NULL CHECK (media_type <> ''),
      sha256 BLOB NOT NULL REFERENCES task_attachment_contents (sha256),
      total_bytes INTEGER NOT NULL CHECK (total_bytes > 0),
      attached_at INTEGER NOT NULL,
      CHECK (account_id IS NULL OR account_id IS charged_account)
    ) STRICT;
    CREATE INDEX task_attachments_by_task ON task_attachments (task_id, sequence, total_bytes);
    CREATE INDEX task_attachments_by_account ON task_attachments (charged_account, account_id, total_bytes);
    CREATE INDEX task_attachments_by_content ON task_attachments (sha256);
    CREATE TRIGGER task_attachments_attached AFTER INSERT ON task_attachments BEGIN
      UPDATE task_attachment_contents SET reference_count = reference_count + 1 WHERE sha256 = new.sha256;
    END;
    CREATE TRIGGER task_attachments_deleted AFTER DELETE ON task_attachments BEGIN
      UPDATE task_attachment_contents SET reference_count = reference_count - 1 WHERE sha256 = old.sha256;
    END;

    """

  /// What goes with its task.
  private static let following = """
    CREATE TRIGGER task_attachments_of_deleted_task AFTER DELETE ON tasks BEGIN
      DELETE FROM task_attachments WHERE task_id = old.task_id;
      DELETE FROM task_attachment_uploads WHERE task_id = old.task_id;
      DELETE FROM task_tokens WHERE task_id = old.task_id;
    END;
    """

  /// The erasure of an account: its attachments are deleted; files attached by a token that it made stay, without a responsible account.
  static let erased = ErasedTable.changed(
    "task_attachments", "charged_account = :account", .attachments,
    by: "DELETE FROM task_attachments WHERE charged_account = :account AND account_id = :account",
    "UPDATE task_attachments SET charged_account = NULL WHERE charged_account = :account",
    steps: [
      """
      DELETE FROM task_attachments WHERE sequence IN (
        SELECT sequence FROM task_attachments WHERE charged_account = :account AND account_id = :account LIMIT :limit)
      """,
      """
      UPDATE task_attachments SET charged_account = NULL WHERE sequence IN (
        SELECT sequence FROM task_attachments WHERE charged_account = :account AND account_id IS NULL LIMIT :limit)
      """,
    ])

  /// An attachment of the table.
  struct Stored: Sendable {
    let id: ID<TaskAttachment>
    let task: ID<SharedTask>
    /// Nil where it came by the task's token.
    let account: AccountID?
    /// Who answers for the room that it takes.
    let charged: AccountID?
    let name: TaskAttachmentName
    let sha256: FileHash
    let totalBytes: Int
  }

  // MARK: - Reading

  /// The attachments of an account that is being erased are shown to nobody.
  private static let isThere = "(f.account_id IS NULL OR NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = f.account_id))"

  /// With the names of who attached it, as the account `:account` sees them.
  private static let shown = """
    SELECT f.*, \(ShownPersonStore.columns(for: ":account"))
    FROM task_attachments f LEFT JOIN accounts a ON a.account_id = f.account_id
    WHERE \(isThere)
    """

  /// The SQL of a page of a task's attachments.
  static let listSQL = "\(shown) AND f.task_id = :task AND f.sequence < :before ORDER BY f.sequence DESC LIMIT :limit"

  private static func rows(
    of task: ID<SharedTask>, for account: AccountID, before: Int64, limit: Int, in database: Database
  ) throws -> [Row] {
    try Row.fetchAll(
      database.cachedStatement(sql: listSQL), arguments: ["account": account, "task": task, "before": before, "limit": limit])
  }

  /// A task's attachments, newest first, as a participant sees them.
  static func list(
    of task: ID<SharedTask>, for account: AccountID, isCreator: Bool, _ page: PageRequest, in database: Database
  ) throws -> Page<TaskAttachment> {
    let rows = try rows(of: task, for: account, before: page.before, limit: page.fetchLimit, in: database)
    return page.page(of: rows, key: { $0["sequence"] as Int64 }) { TaskAttachment($0, for: account, isCreator: isCreator) }
  }

  /// How many are shown with the task itself.
  static let shownWithTask = PageRequest.usualLimit

  /// The first page of the same, and whether there are more.
  static func latest(
    of task: ID<SharedTask>, for account: AccountID, isCreator: Bool, in database: Database
  ) throws -> (attachments: [TaskAttachment], hasMore: Bool) {
    let rows = try rows(of: task, for: account, before: .max, limit: shownWithTask + 1, in: database)
    let shown = rows.prefix(shownWithTask).map { TaskAttachment($0, for: account, isCreator: isCreator) }
    return (shown, rows.count > shownWithTask)
  }

  static func find(_ id: ID<TaskAttachment>, in database: Database) throws -> Stored? {
    let statement = try database.cachedStatement(
      sql: "SELECT f.* FROM task_attachments f WHERE \(isThere) AND f.attachment_id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map(Stored.init)
  }

  /// The file of that name and content that was attached to a task by its token; nil where there is none.
  static func findByToken(
    _ name: TaskAttachmentName, _ sha256: FileHash, of task: ID<SharedTask>, in database: Database
  ) throws -> ID<TaskAttachment>? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT attachment_id FROM task_attachments WHERE sha256 = ? AND task_id = ? AND account_id IS NULL AND name = ? LIMIT 1
        """)
    return try ID<TaskAttachment>.fetchOne(statement, arguments: [sha256, task, name])
  }

  /// An attachment as a participant sees it.
  static func view(
    _ id: ID<TaskAttachment>, for account: AccountID, isCreator: Bool, in database: Database
  ) throws -> TaskAttachment {
    let statement = try database.cachedStatement(sql: "\(shown) AND f.attachment_id = :attachment")
    guard let row = try Row.fetchOne(statement, arguments: ["account": account, "attachment": id]) else {
      throw Failure(RequestFailure.notFound)
    }
    return TaskAttachment(row, for: account, isCreator: isCreator)
  }

  /// What the attachments of a task are together.
  static func usage(of task: ID<SharedTask>, in database: Database) throws -> TaskAttachmentRules.Usage {
    try database.first(
      "SELECT count(*), coalesce(sum(total_bytes), 0) FROM task_attachments WHERE task_id = ?", .id(task)
    ) { .init(files: $0.number(0), bytes: $0.number(1)) } ?? .init(files: 0, bytes: 0)
  }

  /// What the attachments are together for which an account answers.
  static func usage(of account: AccountID, in database: Database) throws -> TaskAttachmentRules.Usage {
    try database.first(
      "SELECT count(*), coalesce(sum(total_bytes), 0) FROM task_attachments WHERE charged_account = ?", .id(account)
    ) { .init(files: $0.number(0), bytes: $0.number(1)) } ?? .init(files: 0, bytes: 0)
  }

  // MARK: - Writing

  /// Attaches an upload whose file is in place, for each participant to know.
  static func add(
    _ upload: TaskAttachmentUploadStore.Stored, _ sha256: FileHash, _ access: TaskAccess, _ transaction: Transaction
  )
    throws
  {
    let database = transaction.database
    try database.cachedStatement(
      sql: "INSERT INTO task_attachment_contents (sha256, total_bytes) VALUES (?, ?) ON CONFLICT DO NOTHING"
    ).execute(arguments: [sha256, upload.receivedBytes])
    try database.cachedStatement(
      sql: """
        INSERT INTO task_attachments (attachment_id, task_id, account_id, charged_account, name, media_type, sha256, total_bytes,
          attached_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      upload.id, upload.task, upload.account, upload.charged, upload.name, upload.mediaType, sha256, upload.receivedBytes,
      transaction.now,
    ])
    try TaskAttachmentUploadStore.remove(upload.id, transaction)
    try RegisterStore.append(
      .attachmentAdded(
        upload.id, to: upload.task, name: upload.name, sha256: sha256, by: upload.charged, isByToken: upload.account == nil),
      transaction)
    try publish(.attached, upload.id, of: upload.task, (upload.account, upload.name), access, transaction)
  }

  /// Deletes an attachment, and publishes that to each participant. A worker removes its file if nothing else refers to it.
  static func delete(_ attachment: Stored, _ access: TaskAccess, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM task_attachments WHERE attachment_id = ?", .id(attachment.id))
    try publish(.deleted, attachment.id, of: attachment.task, nil, access, transaction)
  }

  /// Publishes a change of a file, for each participant as it sees the file.
  ///
  /// - Parameter attached: the name of an attached file, and the account that attached it; none where it was attached by the task's token.
  static func publish(
    _ change: TaskAttachmentsChanged.Change, _ id: ID<TaskAttachment>, of task: ID<SharedTask>,
    _ attached: (by: AccountID?, name: TaskAttachmentName)?, _ access: TaskAccess, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let taskName = try attached.flatMap { _ in
      try String.fetchOne(
        database.cachedStatement(sql: "SELECT name FROM tasks WHERE task_id = ?"), arguments: [task])
    }.map { try TaskName(text: $0) }
    for account in try access.participants(task, database) {
      let username = try (attached?.by).flatMap { try ShownPersonStore.find($0, for: account, in: database).username }
      try transaction.publish(
        TaskAttachmentsChanged(
          accountID: account, taskID: task, attachmentID: id, change: change, byAccountID: attached?.by,
          byUsername: username, name: attached?.name, taskName: taskName, at: transaction.now))
    }
  }

  // MARK: - Contents

  /// Contents that no attachment names; some of them.
  static func unreferenced(after hash: FileHash?, in database: Database) throws -> [FileHash] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT sha256 FROM task_attachment_contents WHERE reference_count = 0 AND (?1 IS NULL OR sha256 > ?1)
        ORDER BY sha256 LIMIT 100
        """)
    return try FileHash.fetchAll(statement, arguments: [hash])
  }

  /// Whether an attachment names the content, or an upload is about to.
  static func isNamed(_ hash: FileHash, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM task_attachment_contents WHERE sha256 = ?1 AND reference_count > 0)
          OR EXISTS (SELECT 1 FROM task_attachment_uploads WHERE sha256 = ?1)
        """)
    return try Bool.fetchOne(statement, arguments: [hash]) ?? true
  }

  /// Forgets a content that nothing names.
  static func forget(_ hash: FileHash, in database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM task_attachment_contents WHERE sha256 = ? AND reference_count = 0")
      .execute(arguments: [hash])
  }
}

extension TaskAttachmentStore.Stored {
  fileprivate init(_ row: Row) {
    id = row["attachment_id"]
    task = row["task_id"]
    account = row["account_id"]
    charged = row["charged_account"]
    name = row["name"]
    sha256 = row["sha256"]
    totalBytes = row["total_bytes"]
  }
}

extension TaskAttachment {
  fileprivate init(_ row: Row, for account: AccountID, isCreator: Bool) {
    let uploader: AccountID? = row["account_id"]
    self.init(
      id: row["attachment_id"], taskID: row["task_id"], name: row["name"], mediaType: row["media_type"],
      totalBytes: row["total_bytes"], sha256: (row["sha256"] as FileHash).description, accountID: uploader,
      username: row["username"], nickname: row["nickname"], isByToken: uploader == nil,
      canDelete: TaskAttachmentRules.canDelete(account, uploader: uploader, isCreator: isCreator), attachedAt: row["attached_at"])
  }
}
