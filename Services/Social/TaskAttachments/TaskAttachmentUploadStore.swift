import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The files that are on their way.
enum TaskAttachmentUploadStore {
  static let schema = """
    CREATE TABLE task_attachment_uploads (
      attachment_id BLOB NOT NULL PRIMARY KEY CHECK (length(attachment_id) = 16),
      task_id BLOB NOT NULL CHECK (length(task_id) = 16),
      -- Null where it comes by the task's token.
      account_id BLOB CHECK (length(account_id) = 16),
      charged_account BLOB NOT NULL CHECK (length(charged_account) = 16),
      name TEXT NOT NULL CHECK (name <> ''),
      media_type TEXT NOT NULL CHECK (media_type <> ''),
      -- Null where that shows at its end.
      total_bytes INTEGER CHECK (total_bytes > 0),
      received_bytes INTEGER NOT NULL CHECK (received_bytes >= 0 AND (total_bytes IS NULL OR received_bytes <= total_bytes)),
      said_sha256 BLOB CHECK (length(said_sha256) = 32),
      -- Of what has arrived, from when it is being made an attachment on: so long that content's file is not removed.
      sha256 BLOB CHECK (length(sha256) = 32),
      touched_at INTEGER NOT NULL,
      CHECK (account_id IS NULL OR account_id IS charged_account)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX task_attachment_uploads_by_task ON task_attachment_uploads (task_id, account_id);
    CREATE INDEX task_attachment_uploads_by_account ON task_attachment_uploads (charged_account);
    CREATE INDEX task_attachment_uploads_by_content ON task_attachment_uploads (sha256) WHERE sha256 IS NOT NULL;
    CREATE INDEX task_attachment_uploads_by_age ON task_attachment_uploads (touched_at);

    """

  /// An upload of the table.
  struct Stored: Sendable {
    let id: ID<TaskAttachment>
    let task: ID<SharedTask>
    /// Nil where it comes by the task's token.
    let account: AccountID?
    /// Who answers for the room that it takes.
    let charged: AccountID
    let name: TaskAttachmentName
    let mediaType: TaskAttachmentType
    let totalBytes: Int?
    let receivedBytes: Int
    let saidSHA256: FileHash?
    let sha256: FileHash?

    init(_ row: Row) {
      id = row["attachment_id"]
      task = row["task_id"]
      account = row["account_id"]
      charged = row["charged_account"]
      name = row["name"]
      mediaType = row["media_type"]
      totalBytes = row["total_bytes"]
      receivedBytes = row["received_bytes"]
      saidSHA256 = row["said_sha256"]
      sha256 = row["sha256"]
    }
  }

  static func find(_ id: ID<TaskAttachment>, in database: Database) throws -> Stored? {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT * FROM task_attachment_uploads WHERE attachment_id = ?"), arguments: [id]
    ).map(Stored.init)
  }

  /// What the uploads to a task are together, each as large as it was announced, or as it has come.
  static func usage(of task: ID<SharedTask>, in database: Database) throws -> TaskAttachmentRules.Usage {
    try database.first(
      "SELECT count(*), coalesce(sum(coalesce(total_bytes, received_bytes)), 0) FROM task_attachment_uploads WHERE task_id = ?",
      .id(task)
    ) { .init(files: $0.number(0), bytes: $0.number(1)) } ?? .init(files: 0, bytes: 0)
  }

  /// The same of those for which an account answers.
  static func usage(of account: AccountID, in database: Database) throws -> TaskAttachmentRules.Usage {
    try database.first(
      """
      SELECT count(*), coalesce(sum(coalesce(total_bytes, received_bytes)), 0) FROM task_attachment_uploads
      WHERE charged_account = ?
      """, .id(account)
    ) { .init(files: $0.number(0), bytes: $0.number(1)) } ?? .init(files: 0, bytes: 0)
  }

  /// How many the account has on their way itself.
  static func count(of account: AccountID, in database: Database) throws -> Int {
    try database.first(
      "SELECT count(*) FROM task_attachment_uploads WHERE charged_account = ?1 AND account_id = ?1", .id(account)
    ) { $0.number(0) } ?? 0
  }

  /// How many come to a task by its token.
  static func countByToken(of task: ID<SharedTask>, in database: Database) throws -> Int {
    try database.first(
      "SELECT count(*) FROM task_attachment_uploads WHERE task_id = ? AND account_id IS NULL", .id(task)
    ) { $0.number(0) } ?? 0
  }

  /// Announces a file of an account.
  static func create(
    _ input: CreateTaskAttachment.Input, of account: AccountID, _ transaction: Transaction
  ) throws -> TaskAttachmentUpload {
    let id = ID<TaskAttachment>()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO task_attachment_uploads (attachment_id, task_id, account_id, charged_account, name, media_type, total_bytes,
          received_bytes, said_sha256, touched_at)
        VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, 0, ?7, ?8)
        """
    ).execute(arguments: [
      id, input.taskID, account, input.name, input.mediaType ?? .unknown, input.totalBytes,
      input.sha256.flatMap { FileHash(hexadecimal: $0.lowercased()) }, transaction.now,
    ])
    return TaskAttachmentUpload(
      id: id, taskID: input.taskID, name: input.name, totalBytes: input.totalBytes, receivedBytes: 0)
  }

  /// Announces a file that comes by a task's token.
  static func create(
    _ input: CreateTaskAttachmentByToken.Input, of token: TaskTokenStore.Stored, _ transaction: Transaction
  ) throws -> ID<TaskAttachment> {
    let id = ID<TaskAttachment>()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO task_attachment_uploads (attachment_id, task_id, charged_account, name, media_type, received_bytes, touched_at)
        VALUES (?, ?, ?, ?, ?, 0, ?)
        """
    ).execute(arguments: [id, token.task, token.maker, input.name, input.mediaType, transaction.now])
    return id
  }

  /// Notes that a file has arrived up to there, if it stood where the chunk begins.
  static func note(
    received: Int, after before: Int, of id: ID<TaskAttachment>, _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      """
      UPDATE task_attachment_uploads SET received_bytes = ?2, touched_at = ?4
      WHERE attachment_id = ?1 AND received_bytes = ?3 AND sha256 IS NULL
      """, .id(id), .number(received), .number(before), .instant(transaction.now))
  }

  /// Notes that what had arrived is not there, as after a restored backup: it is to be sent from the beginning.
  static func noteLost(_ id: ID<TaskAttachment>, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE task_attachment_uploads SET received_bytes = 0, sha256 = NULL, touched_at = ?2 WHERE attachment_id = ?1", .id(id),
      .instant(transaction.now))
  }

  /// Notes what has arrived, before its file is made that content's.
  static func note(_ sha256: FileHash, of id: ID<TaskAttachment>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE task_attachment_uploads SET sha256 = ?, touched_at = ? WHERE attachment_id = ?"
    ).execute(arguments: [sha256, transaction.now, id])
  }

  /// Deletes an upload. Unless it was attached, its file is noted to be removed: see ``endedMigration(_:)``.
  static func remove(_ id: ID<TaskAttachment>, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM task_attachment_uploads WHERE attachment_id = ?", .id(id))
  }

  /// Deletes abandoned uploads by a task's token, so that a new one has their space.
  ///
  /// - Parameter name: of the new file.
  /// - Returns: whether there were any, whose files are to be removed.
  static func endIdleByToken(
    of task: ID<SharedTask>, named name: TaskAttachmentName, _ transaction: Transaction
  ) throws -> Bool {
    let (now, database) = (transaction.now, transaction.database)
    try database.cachedStatement(
      sql: """
        DELETE FROM task_attachment_uploads
        WHERE task_id = ?1 AND account_id IS NULL AND (touched_at <= ?2 OR (name = ?3 AND touched_at <= ?4))
        """
    ).execute(arguments: [
      task, now.adding(seconds: -TaskAttachmentRules.idleSecondsByToken), name,
      now.adding(seconds: -TaskAttachmentRules.idleSecondsOfRepeated),
    ])
    return database.changesCount > 0
  }

  /// Deletes some of the uploads that have been idle for too long.
  ///
  /// - Returns: whether there were any; then there may be more.
  static func expire(_ transaction: Transaction) throws -> Bool {
    let found = try idle(at: transaction.now, in: transaction.database)
    for id in found { try remove(id, transaction) }
    return !found.isEmpty
  }

  /// Some of the uploads that have been idle for too long; one may be among them twice.
  static func idle(at now: Instant, in database: Database) throws -> [ID<TaskAttachment>] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT attachment_id FROM task_attachment_uploads WHERE account_id IS NULL AND touched_at <= ?1
        UNION ALL SELECT attachment_id FROM task_attachment_uploads WHERE touched_at <= ?2 LIMIT 100
        """)
    return try ID<TaskAttachment>.fetchAll(
      statement,
      arguments: [
        now.adding(seconds: -TaskAttachmentRules.idleSecondsByToken), now.adding(seconds: -TaskAttachmentRules.idleSeconds),
      ])
  }

  // MARK: - Ended

  /// Whatever deletes an upload notes its file in the same transaction, so that it is removed after a kill, too.
  static func endedMigration(_ number: Int) -> Migration {
    Migration(number, "ended uploads of files") { database in
      try database.execute(
        sql: """
          CREATE TABLE task_attachment_ended_uploads (
            attachment_id BLOB NOT NULL PRIMARY KEY CHECK (length(attachment_id) = 16),
            -- Of the content that its file was being made, or had been made: task_attachment_contents need not have it.
            sha256 BLOB CHECK (length(sha256) = 32)
          ) STRICT, WITHOUT ROWID;
          -- The file of one that was attached has become that of its content.
          CREATE TRIGGER task_attachment_uploads_ended AFTER DELETE ON task_attachment_uploads
          WHEN NOT EXISTS (SELECT 1 FROM task_attachments WHERE attachment_id = old.attachment_id) BEGIN
            INSERT INTO task_attachment_ended_uploads (attachment_id, sha256) VALUES (old.attachment_id, old.sha256);
          END;
          CREATE INDEX task_attachment_uploads_by_token ON task_attachment_uploads (account_id, touched_at) WHERE account_id IS NULL;
          """)
    }
  }

  /// An upload that has ended, whose file is to be removed.
  struct Ended: Sendable {
    let id: ID<TaskAttachment>
    /// Of the content that its file may have become.
    let sha256: FileHash?
  }

  /// Uploads that have ended; some of them.
  static func ended(after id: ID<TaskAttachment>?, in database: Database) throws -> [Ended] {
    var found: [Ended] = []
    try database.each(
      "SELECT attachment_id, sha256 FROM task_attachment_ended_uploads WHERE attachment_id > ? ORDER BY attachment_id LIMIT 100",
      id.map { Bound.id($0) } ?? .bytes([])
    ) { row in
      try found.append(Ended(id: row.id(0), sha256: FileHash(bytes: row.bytes(1))))
      return true
    }
    return found
  }

  /// Forgets ended uploads whose files are gone.
  static func forget(_ ended: [ID<TaskAttachment>], _ transaction: Transaction) throws {
    for id in ended {
      try transaction.database.run("DELETE FROM task_attachment_ended_uploads WHERE attachment_id = ?", .id(id))
    }
  }
}
