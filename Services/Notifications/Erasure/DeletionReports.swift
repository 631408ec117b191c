import GRDB
import IdentityContract
import Logging
import NotificationsContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Ends the reports of deletions: once one is sent or given up, identity is told and forgets the address; then the mail's row goes,
/// and where mails are files, the file a day later.
struct DeletionReports: ServiceLifecycle.Service {
  private static let longestWait = Duration.seconds(60)
  private static let wait = Duration.seconds(1)

  let store: Store
  let identity: ServiceClient
  let folders: Set<String>
  let keptSeconds: Int
  let clock: Clock
  let bell: Bell
  let logger: Logger

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

  func run() async throws {
    while !Task.isShuttingDownGracefully && !Task.isCancelled {
      var next = Self.wait
      do {
        try await endReports()
        next = try await removeFiles()
      } catch {
        logger.warning("a deletion's report is not ended yet", metadata: ["code": .string(Failure(error).code)])
      }
      let pause = next
      await cancelWhenGracefulShutdown { await bell.wait(atMost: pause) }
    }
  }

  private func endReports() async throws {
    let ended = try await store.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT mail_id, subject_id, created_at, state FROM mails WHERE kind = ? AND finished_at IS NOT NULL",
        arguments: [MailKind.accountDeleted]
      ).map { row in
        (
          mail: row["mail_id"] as ID<Mail>, deletion: row["subject_id"] as AccountDeletionID,
          createdAt: row["created_at"] as Instant, isDelivered: row["state"] as MailQueue.End == .delivered
        )
      }
    }
    for report in ended {
      let input = EndDeletionReport.Input(deletionID: report.deletion, isDelivered: report.isDelivered)
      _ = try await identity.request(EndDeletionReport.self, input)
      let kept = report.isDelivered ? keptSeconds : 0
      try await store.write { transaction in
        // Where a server took the mail there is no file, and removing none harms nothing.
        try transaction.database.execute(
          sql: "INSERT INTO report_files (mail_id, created_at, remove_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
          arguments: [report.mail, report.createdAt, transaction.now.adding(seconds: kept)])
        try transaction.database.execute(sql: "DELETE FROM mails WHERE mail_id = ?", arguments: [report.mail])
      }
    }
  }

  /// Removes the files that are due.
  ///
  /// - Returns: how long until the next is, but no longer than a minute.
  private func removeFiles() async throws -> Duration {
    let now = clock.now
    let files = try await store.read { database in
      try Row.fetchAll(database, sql: "SELECT mail_id, created_at, remove_at FROM report_files ORDER BY remove_at LIMIT 100").map
      {
        (mail: $0["mail_id"] as ID<Mail>, createdAt: $0["created_at"] as Instant, removeAt: $0["remove_at"] as Instant)
      }
    }
    for file in files where file.removeAt <= now {
      for folder in folders { try MailFolder.remove(file.mail, createdAt: file.createdAt, folder: folder) }
      try await store.write { transaction in
        try transaction.database.execute(sql: "DELETE FROM report_files WHERE mail_id = ?", arguments: [file.mail])
      }
    }
    guard let next = files.first(where: { $0.removeAt > now }) else { return files.isEmpty ? Self.longestWait : .zero }
    return min(.milliseconds(next.removeAt.milliseconds - now.milliseconds), Self.longestWait)
  }
}
