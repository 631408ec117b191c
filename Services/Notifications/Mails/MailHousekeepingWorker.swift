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
    let mails = try await store.read { try MailStore.over(end, before: oldest, limit: Self.batch, in: $0) }
    guard !mails.isEmpty else { return 0 }
    // The file first: only the row knows of it.
    for mail in mails {
      for folder in folders { try MailFolder.remove(mail.id, createdAt: mail.createdAt, folder: folder) }
    }
    try await store.write { transaction in
      for mail in mails { try MailStore.remove(mail.id, over: end, transaction) }
    }
    return mails.count
  }
}
