import GRDB
import IdentityContract
import Logging
import NotificationsContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Ends the reports of deletions: once one is sent or given up, identity is notified and forgets the address; then the mail's row goes,
/// and where mails are files, the file a day later.
struct DeletionReportWorker: ServiceLifecycle.Service {
  /// The mail that reports a deletion, sent or given up.
  private struct Report: Sendable {
    let mail: ID<Mail>
    let deletion: AccountDeletionID
    let createdAt: Instant
    let isDelivered: Bool
  }

  private static let longestWait = Duration.seconds(60)
  private static let wait = Duration.seconds(1)

  let store: Store
  let identity: ServiceClient
  let folders: Set<String>
  let keptSeconds: Int
  let clock: Clock
  let signal: WakeSignal
  let logger: Logger

  func run() async throws {
    var pause = Self.wait
    while !Task.isShuttingDownGracefully && !Task.isCancelled {
      let isDone = try await endReports()
      // Whatever identity answers, no file stays longer than it should.
      let next = try await removeFiles()
      let wait = isDone ? next : min(pause, next)
      pause = isDone ? Self.wait : min(pause * 2, Self.longestWait)
      await cancelWhenGracefulShutdown { await signal.wait(atMost: wait) }
    }
  }

  /// Ends the reports that were sent or given up.
  ///
  /// - Returns: whether identity knows of them all.
  private func endReports() async throws -> Bool {
    let ended = try await store.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT mail_id, subject_id, created_at, state FROM mails WHERE kind = ? AND finished_at IS NOT NULL ORDER BY finished_at
          """, arguments: [MailSpec.deletionReport]
      ).map { row in
        Report(
          mail: row["mail_id"], deletion: row["subject_id"], createdAt: row["created_at"],
          isDelivered: row["state"] as MailStore.End == .delivered)
      }
    }
    var areAllEnded = true
    for report in ended {
      do {
        try await end(report)
      } catch let failure as Failure {
        // One that identity cannot take now keeps no other waiting.
        areAllEnded = false
        logger.warning("a deletion's report is not ended yet", metadata: ["code": .string(failure.code)])
      }
    }
    return areAllEnded
  }

  private func end(_ report: Report) async throws {
    let input = EndDeletionReport.Input(deletionID: report.deletion, isDelivered: report.isDelivered)
    do {
      _ = try await identity.request(EndDeletionReport.self, input)
    } catch let failure as Failure where failure.code == RequestFailure.notFound.rawValue {
      // Identity was put back from before the deletion: there is no address that it could forget.
    }
    let kept = report.isDelivered ? keptSeconds : 0
    try await store.write { transaction in
      // Where a server took the mail there is no file, and removing none harms nothing.
      try transaction.database.execute(
        sql: "INSERT INTO report_files (mail_id, created_at, remove_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        arguments: [report.mail, report.createdAt, transaction.now.adding(seconds: kept)])
      try transaction.database.execute(sql: "DELETE FROM mails WHERE mail_id = ?", arguments: [report.mail])
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
