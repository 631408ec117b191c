import GRDB
import IdentityContract
import NotificationsContract
import Operations
import Storage

/// The mail that reports a deletion, sent or given up.
struct DeletionReport: Sendable {
  let mail: ID<Mail>
  let deletion: AccountDeletionID
  let createdAt: Instant
  let isDelivered: Bool
}

/// The file of a report, where mails are files.
struct DeletionReportFile: Sendable {
  let mail: ID<Mail>
  let createdAt: Instant
  let removeAt: Instant
}

/// The files of reports that have ended, and when they are to be removed.
enum DeletionReportStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "files of deletion reports") { database in
      try database.execute(
        sql: """
          CREATE TABLE report_files (
            mail_id BLOB NOT NULL PRIMARY KEY CHECK (length(mail_id) = 16),
            created_at INTEGER NOT NULL,
            remove_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX report_files_due ON report_files (remove_at);
          """)
    }
  }
  /// The reports that were sent or given up, and of which identity does not know yet, oldest first.
  static func ended(in database: Database) throws -> [DeletionReport] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT mail_id, subject_id, created_at, state FROM mails WHERE kind = ? AND finished_at IS NOT NULL ORDER BY finished_at
        """)
    return try Row.fetchAll(statement, arguments: [MailSpec.deletionReport]).map { row in
      DeletionReport(
        mail: row["mail_id"], deletion: row["subject_id"], createdAt: row["created_at"],
        isDelivered: row["state"] as MailStore.End == .delivered)
    }
  }

  /// Forgets a report that identity has been told about, and schedules the removal of its file. Where a server took the mail there is no
  /// file, and removing it does nothing.
  static func end(_ report: DeletionReport, keepingFileFor seconds: Int, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "INSERT INTO report_files (mail_id, created_at, remove_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    ).execute(arguments: [report.mail, report.createdAt, transaction.now.adding(seconds: seconds)])
    try transaction.database.cachedStatement(sql: "DELETE FROM mails WHERE mail_id = ?").execute(arguments: [report.mail])
  }

  /// The files that are to be removed, the first due first.
  static func files(limit: Int, in database: Database) throws -> [DeletionReportFile] {
    let statement = try database.cachedStatement(
      sql: "SELECT mail_id, created_at, remove_at FROM report_files ORDER BY remove_at LIMIT ?")
    return try Row.fetchAll(statement, arguments: [limit]).map {
      DeletionReportFile(mail: $0["mail_id"], createdAt: $0["created_at"], removeAt: $0["remove_at"])
    }
  }

  /// Notes that a file was removed.
  static func forget(_ file: DeletionReportFile, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM report_files WHERE mail_id = ?").execute(arguments: [file.mail])
  }
}
