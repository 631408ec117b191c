import GRDB
import NotificationsContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Removes the mails that were over long ago, with their files. Reports of deletions are ended by ``DeletionReportWorker``.
struct MailHousekeepingWorker: ServiceLifecycle.Service {
  /// Longer than any event could come again, which would send them anew.
  static let doneKeptSeconds = 31 * 86_400
  /// Long enough to find out what failed, and to send it again.
  static let deadKeptSeconds = 366 * 86_400
  private static let kept: [(end: MailStore.End, seconds: Int)] = [
    (.delivered, doneKeptSeconds), (.obsolete, doneKeptSeconds), (.dead, deadKeptSeconds),
  ]
  private static let batch = 100
  private static let interval = Duration.seconds(3600)

  let store: Store
  let folders: Set<String>
  let clock: Clock

  func run() async throws { try await repeating(every: Self.interval) { try await sweep() } }

  /// Removes all that are due, a few at a time.
  func sweep() async throws {
    for (end, seconds) in Self.kept {
      while try await sweep(end, before: clock.now.adding(seconds: -seconds)) == Self.batch {}
    }
  }

  /// - Returns: how many it removed.
  private func sweep(_ end: MailStore.End, before oldest: Instant) async throws -> Int {
    let mails = try await store.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT mail_id, created_at FROM mails WHERE state = ? AND finished_at < ? AND kind <> ? ORDER BY finished_at LIMIT ?
          """, arguments: [end, oldest, MailSpec.deletionReport, Self.batch]
      ).map { (id: $0["mail_id"] as ID<Mail>, createdAt: $0["created_at"] as Instant) }
    }
    guard !mails.isEmpty else { return 0 }
    // The file first: only the row knows of it.
    for mail in mails {
      for folder in folders { try MailFolder.remove(mail.id, createdAt: mail.createdAt, folder: folder) }
    }
    try await store.write { transaction in
      // One that was given up may have been put back meanwhile.
      let statement = try transaction.database.cachedStatement(sql: "DELETE FROM mails WHERE mail_id = ? AND state = ?")
      for mail in mails { try statement.execute(arguments: [mail.id, end]) }
    }
    return mails.count
  }
}
