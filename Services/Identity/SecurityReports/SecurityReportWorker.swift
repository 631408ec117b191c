import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Makes the reports whose time has come, also those that were missed while the service was away.
struct SecurityReportWorker: Service {
  static let setting = "racha.security.reports"

  let store: Store
  let schedule: ReportSchedule
  let interval: Duration

  init(store: Store, schedule: ReportSchedule, interval: Duration = .seconds(60)) {
    self.store = store
    self.schedule = schedule
    self.interval = interval
  }

  func run() async throws {
    guard schedule != .none else {
      do { try await gracefulShutdown() } catch is CancellationError {}
      return
    }
    try await repeating(every: interval) { try await makeDue() }
  }

  /// Makes all that are due, each in a transaction of its own.
  func makeDue() async throws {
    let schedule = schedule
    let due = try await store.write { try SecurityReportStore.due(schedule, now: $0.now, in: $0.database) }
    for span in due {
      // Read outside the transaction, so that nobody's write waits while incidents are ranked: the span is over.
      let content = try await store.read { try SecurityReportStore.content(span, in: $0) }
      try await store.write { try SecurityReportStore.make(span, content, $0) }
    }
  }
}
