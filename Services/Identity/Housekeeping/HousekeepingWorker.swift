import GRDB
import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Removes what has outlived its use, a little at a time.
struct HousekeepingWorker: Service {
  static let securityEventsKeptSeconds = 90 * 86_400
  /// Long enough that a stale link is still distinguished from a wrong one.
  static let linksKeptSeconds = 30 * 86_400
  /// Long enough for the snapshot, and for repeated refreshes to learn why they fail.
  static let sessionsKeptSeconds = 7 * 86_400
  /// An expired token stays in its owner's list for a while, to show why a script stopped.
  static let expiredTokensKeptSeconds = 30 * 86_400
  /// Long enough for the snapshot.
  static let revokedTokensKeptSeconds = 7 * 86_400
  /// Long enough that a flow which has ended is still distinguished from one that was never begun.
  static let externalLoginsKeptSeconds = 86_400
  /// As long as reports are, which lead to them.
  static let incidentsKeptSeconds = SecurityReportRules.keptSeconds
  private static let batch = 500

  let store: Store
  let logger: Logger
  let interval: Duration

  init(store: Store, logger: Logger, interval: Duration = .seconds(600)) {
    self.store = store
    self.logger = logger
    self.interval = interval
  }

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Removes everything that is due. A table of which nothing can be removed keeps no other from it.
  ///
  /// - Throws: why the first such one was left as it is.
  func sweep() async throws {
    var failure: (any Error)?
    func attempt(_ table: String, _ work: () async throws -> Void) async throws {
      do {
        try await work()
      } catch let error as CancellationError {
        throw error
      } catch {
        logger.warning("a table was not swept", metadata: ["table": .string(table), "error": .string("\(type(of: error))")])
        failure = failure ?? error
      }
    }
    try await attempt("sessions", closeUnanswered)
    for rule in Self.rules { try await attempt(rule.table) { try await sweep(rule) } }
    if let failure { throw failure }
  }

  /// Ends the sessions in doubt for which nobody can answer any more.
  private func closeUnanswered() async throws {
    try await inBatches { try LoginAlertStore.closeUnansweredSessions(limit: Self.batch, $0) }
  }

  private func sweep(_ rule: Rule) async throws {
    let exception = rule.exception.map { " AND NOT (\($0))" } ?? ""
    let sql = """
      DELETE FROM \(rule.table) WHERE (\(rule.key)) IN (
        SELECT \(rule.key) FROM \(rule.table) WHERE \(rule.instant) < ?\(exception) LIMIT ?)
      """
    try await inBatches { transaction in
      let oldest = transaction.now.adding(seconds: -rule.keptSeconds)
      try transaction.database.cachedStatement(sql: sql).execute(arguments: [oldest, Self.batch])
      return transaction.database.changesCount
    }
  }

  /// Removes until nothing is left that is due. Each batch is a transaction of its own, so that nobody waits long for it.
  ///
  /// - Parameter remove: returns how many it removed.
  private func inBatches(_ remove: @escaping @Sendable (Transaction) throws -> Int) async throws {
    while try await store.write(remove) == Self.batch {}
  }

  /// How long a table's rows are kept after an instant of theirs; each of these columns has an index.
  private struct Rule: Sendable {
    let table: String
    let key: String
    let instant: String
    let keptSeconds: Int
    /// Which rows stay all the same.
    var exception: String?
  }

  private static let rules = [
    Rule(table: "sessions", key: "session_id", instant: "expires_at", keptSeconds: sessionsKeptSeconds),
    Rule(table: "sessions", key: "session_id", instant: "revoked_at", keptSeconds: sessionsKeptSeconds),
    Rule(table: "verification_links", key: "link_id", instant: "expires_at", keptSeconds: linksKeptSeconds),
    Rule(table: "personal_access_tokens", key: "token_id", instant: "expires_at", keptSeconds: expiredTokensKeptSeconds),
    Rule(table: "personal_access_tokens", key: "token_id", instant: "revoked_at", keptSeconds: revokedTokensKeptSeconds),
    Rule(table: "password_recoveries", key: "recovery_id", instant: "expires_at", keptSeconds: linksKeptSeconds),
    Rule(table: "external_logins", key: "flow_id", instant: "expires_at", keptSeconds: externalLoginsKeptSeconds),
    Rule(table: "ended_sessions", key: "session_id", instant: "ended_at", keptSeconds: sessionsKeptSeconds),
    Rule(table: "reserved_usernames", key: "username_key", instant: "until", keptSeconds: 0),
    Rule(table: "email_changes", key: "change_id", instant: "expires_at", keptSeconds: linksKeptSeconds),
    Rule(table: "login_failures", key: "account_key, address_key", instant: "last_at", keptSeconds: Lockout.memorySeconds),
    Rule(table: "security_events", key: "security_event_id", instant: "at", keptSeconds: securityEventsKeptSeconds),
    Rule(
      table: "known_devices", key: "account_id, device_key", instant: "last_seen_at", keptSeconds: LoginHistoryStore.keptSeconds),
    Rule(table: "device_tokens", key: "token_hash", instant: "last_used_at", keptSeconds: LoginHistoryStore.keptSeconds),
    Rule(table: "known_places", key: "account_id, network", instant: "last_seen_at", keptSeconds: LoginHistoryStore.keptSeconds),
    Rule(
      table: "login_alerts", key: "alert_id", instant: "expires_at", keptSeconds: linksKeptSeconds,
      exception: LoginAlertStore.isNeeded),
    Rule(table: "suspension_links", key: "link_id", instant: "expires_at", keptSeconds: linksKeptSeconds),
    Rule(table: "suspensions", key: "suspension_id", instant: "until", keptSeconds: SuspensionStore.keptSeconds),
    Rule(table: "incidents", key: "incident_id", instant: "last_at", keptSeconds: incidentsKeptSeconds),
    Rule(table: "security_mails", key: "mail_id", instant: "created_at", keptSeconds: linksKeptSeconds),
    Rule(table: "security_reports", key: "report_id", instant: "created_at", keptSeconds: SecurityReportRules.keptSeconds),
  ]
}
