import GRDB
import Logging
import Operations
import ServiceLifecycle
import Storage

/// Removes what has outlived its use, a little at a time.
struct Housekeeping: Service {
  static let securityEventsKeptSeconds = 90 * 86_400
  /// Long enough that a stale link is still told from a wrong one.
  static let linksKeptSeconds = 30 * 86_400
  /// Long enough for the snapshot and for repeated refreshes to be told why they fail.
  static let sessionsKeptSeconds = 7 * 86_400
  private static let batch = 500

  let store: Store
  let logger: Logger
  let interval: Duration

  init(store: Store, logger: Logger, interval: Duration = .seconds(600)) {
    self.store = store
    self.logger = logger
    self.interval = interval
  }

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown {
        while true {
          await sweepOrLog()
          try await Task.sleep(for: interval)
        }
      }
    } catch is CancellationError {
      // What is left is removed another time.
    }
  }

  private func sweepOrLog() async {
    do {
      try await sweep()
    } catch {
      logger.warning("housekeeping was put off", metadata: ["error": .string("\(error)")])
    }
  }

  /// Removes everything that is due. Each batch is a transaction of its own, so that nobody waits long for it.
  func sweep() async throws {
    for (table, condition, kept) in Self.rules {
      var removed = 0
      repeat {
        removed = try await store.write { transaction in
          try transaction.database.execute(
            sql:
              "DELETE FROM \(table) WHERE \(condition.key) IN (SELECT \(condition.key) FROM \(table) WHERE \(condition.when) LIMIT ?)",
            arguments: [transaction.now.adding(seconds: -kept), Self.batch])
          return transaction.database.changesCount
        }
      } while removed == Self.batch
    }
  }

  private static let rules: [(table: String, condition: (key: String, when: String), keptSeconds: Int)] = [
    ("sessions", ("session_id", "MIN(expires_at, COALESCE(revoked_at, expires_at)) < ?"), sessionsKeptSeconds),
    ("verification_links", ("link_id", "expires_at < ?"), linksKeptSeconds),
    ("login_failures", ("(account_key, address_key)", "last_at < ?"), Lockout.memorySeconds),
    ("security_events", ("security_event_id", "at < ?"), securityEventsKeptSeconds),
  ]
}
