import Foundation
import GRDB
import IdentityContract
import Operations
import Storage

/// The security events.
enum SecurityEventStore {
  /// Security events, the newest first: ids grow with time.
  static func list(
    _ input: ListSecurityEvents.Input, before last: ID<RecordedSecurityEvent>?, limit: Int, in database: Database
  ) throws -> [RecordedSecurityEvent] {
    var conditions = ["(:last IS NULL OR event.security_event_id < :last)"]
    var arguments: StatementArguments = ["last": last, "limit": limit]
    func require(_ condition: String, _ name: String, _ value: (any DatabaseValueConvertible)?) {
      guard let value else { return }
      conditions.append(condition)
      arguments += [name: value]
    }
    require("event.severity = :severity", "severity", input.severity)
    require("event.kind = :kind", "kind", input.kind)
    require("event.account_id = :account", "account", input.accountID)
    require("event.at >= :from", "from", input.from)
    require("event.at < :to", "to", input.to)
    return try list(where: conditions, arguments, in: database)
  }

  /// Those that meet all conditions, with the names of their accounts.
  static func list(
    where conditions: [String], _ arguments: StatementArguments, in database: Database
  ) throws -> [RecordedSecurityEvent] {
    // Of an account that was deleted, until the event itself says nothing of it.
    let conditions = conditions + ["NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = event.account_id)"]
    let sql = """
      SELECT event.*, account.username FROM security_events AS event
      LEFT JOIN accounts AS account ON account.account_id = event.account_id
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY event.security_event_id DESC LIMIT :limit
      """
    return try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments).map { row in
      RecordedSecurityEvent(
        id: row["security_event_id"], at: row["at"], kind: row["kind"], severity: row["severity"],
        accountID: row["account_id"], username: row["username"], sessionID: row["session_id"], address: row["address"],
        userAgent: row["user_agent"], detail: row["detail"])
    }
  }

  /// Keeps the event, with the client's address and what it says of itself.
  static func record(_ event: SecurityEvent, from caller: Caller, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO security_events (security_event_id, at, kind, severity, account_id, session_id, address, subscriber,
          user_agent, detail)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      ID<RecordedSecurityEvent>(), transaction.now, event.kind, event.kind.severity, event.account, event.session,
      SecurityEvent.address(caller), SecurityEvent.subscriber(caller), caller.keptUserAgent,
      event.detail,
    ])
  }
}
