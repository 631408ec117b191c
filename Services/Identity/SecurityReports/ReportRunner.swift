import Logging
import Operations
import ServiceLifecycle
import Storage

/// Makes the reports whose time has come, also those that were missed while the service was away.
struct ReportRunner: Service {
  static let setting = "racha.security.reports"

  let store: Store
  let schedule: ReportSchedule
  let logger: Logger
  let interval: Duration

  init(store: Store, schedule: ReportSchedule, logger: Logger, interval: Duration = .seconds(60)) {
    self.store = store
    self.schedule = schedule
    self.logger = logger
    self.interval = interval
  }

  func run() async throws {
    guard schedule != .none else {
      do { try await gracefulShutdown() } catch is CancellationError {}
      return
    }
    do {
      try await cancelWhenGracefulShutdown {
        while true {
          await makeOrLog()
          try await Task.sleep(for: interval)
        }
      }
    } catch is CancellationError {
      // What is due is made after the next start.
    }
  }

  private func makeOrLog() async {
    do {
      try await makeDue()
    } catch {
      logger.warning("security reports were put off", metadata: ["error": .string("\(error)")])
    }
  }

  /// Makes all that are due, each in a transaction of its own.
  func makeDue() async throws {
    let schedule = schedule
    let due = try await store.write { try $0.database.dueReports(schedule, now: $0.now) }
    for span in due { try await store.write { try $0.makeReport(span) } }
  }
}
