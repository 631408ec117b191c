import IdentityContract
import Logging
import NotificationsContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Ends the reports of deletions: once a report is sent or given up, identity is notified and forgets the address; then the mail's row is
/// deleted and, where mails are files, the file a day later.
struct DeletionReportWorker: ServiceLifecycle.Service {
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
    let ended = try await store.read { try DeletionReportStore.ended(in: $0) }
    var areAllEnded = true
    for report in ended {
      do {
        try await end(report)
      } catch let failure as Failure {
        // A report that identity cannot take now does not delay the others.
        areAllEnded = false
        logger.warning("the report of a deletion has not been ended yet", metadata: ["code": .string(failure.code)])
      }
    }
    return areAllEnded
  }

  private func end(_ report: DeletionReport) async throws {
    let input = EndDeletionReport.Input(deletionID: report.deletion, isDelivered: report.isDelivered)
    do {
      _ = try await identity.request(EndDeletionReport.self, input)
    } catch let failure as Failure where failure.code == RequestFailure.notFound.rawValue {
      // Identity was put back from before the deletion: there is no address that it could forget.
    }
    let kept = report.isDelivered ? keptSeconds : 0
    try await store.write { try DeletionReportStore.end(report, keepingFileFor: kept, $0) }
  }

  /// Removes the files that are due.
  ///
  /// - Returns: how long until the next is, but no longer than a minute.
  private func removeFiles() async throws -> Duration {
    let now = clock.now
    let files = try await store.read { try DeletionReportStore.files(limit: 100, in: $0) }
    for file in files where file.removeAt <= now {
      for folder in folders { try MailFolder.remove(file.mail, createdAt: file.createdAt, folder: folder) }
      try await store.write { try DeletionReportStore.forget(file, $0) }
    }
    guard let next = files.first(where: { $0.removeAt > now }) else { return files.isEmpty ? Self.longestWait : .zero }
    return min(.milliseconds(next.removeAt.milliseconds - now.milliseconds), Self.longestWait)
  }
}
