import Foundation
import GRDB
import IdentityContract
import Operations
import Storage

/// The security events.
enum SecurityEventStore {
  static let keptSeconds = 90 * 86_400

  /// Among the first tables, see ``AccountStore/migration(_:)``.
  static let table = """
    CREATE TABLE security_events (
      security_event_id BLOB NOT NULL PRIMARY KEY CHECK (length(security_event_id) = 16),
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
      account_id BLOB CHECK (length(account_id) = 16),
      session_id BLOB CHECK (length(session_id) = 16),
      address TEXT,
      user_agent TEXT,
      detail TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX security_events_by_time ON security_events (at);
    CREATE INDEX security_events_by_account ON security_events (account_id, at);
    """

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

extension SecurityEventStore {
  /// How many of a kind an account has had since then.
  static func count(_ kind: SecurityEvent.Kind, of account: AccountID, since: Instant, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: "SELECT COUNT(*) FROM security_events WHERE account_id = ? AND at > ? AND kind = ?")
    return try Int.fetchOne(statement, arguments: [account, since, kind]) ?? 0
  }

  /// How many proofs of external providers were refused since then that came from the caller's address: forged ones, not those that were
  /// merely late.
  static func refusedProofs(from caller: Caller, since: Instant, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: """
        SELECT COUNT(*) FROM security_events
        WHERE subscriber = ? AND at > ? AND (kind = ? OR kind = ? AND detail NOT IN (?, ?))
        """)
    return try Int.fetchOne(
      statement,
      arguments: [
        SecurityEvent.subscriber(caller), since, SecurityEvent.Kind.externalProofRefused,
        SecurityEvent.Kind.externalStateRefused, ExternalLoginFailure.stateExpired.rawValue,
        ExternalLoginFailure.stateUsed.rawValue,
      ]) ?? 0
  }

  /// From how many addresses a provider's proofs came that were refused since then.
  static func addresses(refusedAt provider: ExternalProviderName, since: Instant, in database: Database) throws -> Int {
    // The kind is written out so that SQLite takes the index of such events.
    let statement = try database.cachedStatement(
      sql: """
        SELECT COUNT(DISTINCT subscriber) FROM security_events
        WHERE kind = 'externalProofRefused' AND at > ? AND instr(detail, ?) = 1
        """)
    return try Int.fetchOne(statement, arguments: [since, "\(provider) "]) ?? 0
  }

  /// How many mailed links were refused since then, opened from the caller's address, whose token nobody was sent.
  static func guessedLinks(from caller: Caller, since: Instant, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: "SELECT COUNT(*) FROM security_events WHERE subscriber = ? AND at > ? AND detail IN (?, ?, ?, ?, ?, ?)")
    return try Int.fetchOne(
      statement,
      arguments: [
        SecurityEvent.subscriber(caller), since, VerificationFailure.linkInvalid.rawValue, RecoveryFailure.linkInvalid.rawValue,
        EmailChangeFailure.linkInvalid.rawValue, EmailChangeUndoFailure.linkInvalid.rawValue,
        LoginAlertFailure.linkInvalid.rawValue, SuspensionLinkFailure.linkInvalid.rawValue,
      ]) ?? 0
  }
}
