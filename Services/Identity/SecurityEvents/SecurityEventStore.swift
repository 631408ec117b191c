import Foundation
import GRDB
import IdentityContract
import Operations
import Storage

/// The cursor of a page of security events: they are listed by time, and those of one instant by their ids.
struct SecurityEventPosition: Hashable, Sendable, CustomStringConvertible {
  let at: Instant
  let id: ID<RecordedSecurityEvent>

  init(_ event: RecordedSecurityEvent) { (at, id) = (event.at, event.id) }

  init(text: String) throws(FieldRule) {
    let parts = text.split(at: "/", maxSplits: 1)
    guard parts.count == 2, let milliseconds = Int64(parts[0]) else { throw PageCursor.invalid }
    (at, id) = (Instant(milliseconds: milliseconds), try ID(text: String(parts[1])))
  }

  var description: String { "\(at.milliseconds)/\(id)" }
}

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

  /// One for each filter of the list, in its order; the key of the table follows in each.
  static func listMigration(_ number: Int) -> Migration {
    Migration(number, "lists of security events") { database in
      try database.execute(
        sql: """
          CREATE INDEX security_events_by_kind ON security_events (kind, at);
          CREATE INDEX security_events_by_severity ON security_events (severity, at);
          -- The first finds those, too.
          DROP INDEX security_events_of_proofs;
          """)
    }
  }

  /// Security events, the newest first.
  static func list(
    _ input: ListSecurityEvents.Input, before last: SecurityEventPosition?, limit: Int, in database: Database
  ) throws -> [RecordedSecurityEvent] {
    // The severity follows from the kind.
    if let severity = input.severity, let kind = input.kind.flatMap(SecurityEvent.Kind.init(rawValue:)), kind.severity != severity
    {
      return []
    }
    var conditions: [String] = []
    var arguments: StatementArguments = ["limit": limit]
    func require(_ condition: String, _ name: String, _ value: (any DatabaseValueConvertible)?) {
      guard let value else { return }
      conditions.append(condition)
      arguments += [name: value]
    }
    if let last {
      require("(event.at, event.security_event_id) < (:at, :last)", "last", last.id)
      arguments += ["at": last.at]
    }
    // The index of the most selective filter finds the rows; SQLite uses none for a column behind a plus.
    require("event.account_id = :account", "account", input.accountID)
    require("\(input.accountID == nil ? "" : "+")event.kind = :kind", "kind", input.kind)
    require(
      "\(input.accountID == nil && input.kind == nil ? "" : "+")event.severity = :severity", "severity", input.severity)
    require("event.at >= :from", "from", input.from)
    // Without a bound SQLite may choose another index than that of the order.
    require("event.at < :to", "to", input.to ?? Instant(milliseconds: .max))
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
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY event.at DESC, event.security_event_id DESC LIMIT :limit
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
  /// Thousands of people may come from one address, so that it has very many events of other kinds.
  static func subscriberMigration(_ number: Int) -> Migration {
    Migration(number, "security events by subscriber and kind") { database in
      try database.execute(
        sql: """
          CREATE INDEX security_events_by_subscriber_kind ON security_events (subscriber, kind, at) WHERE subscriber IS NOT NULL;
          DROP INDEX security_events_by_subscriber;
          """)
    }
  }

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
        SELECT COUNT(*) FROM security_events INDEXED BY security_events_by_subscriber_kind
        WHERE subscriber = ?1 AND at > ?2 AND kind IN (?3, ?4) AND (kind = ?3 OR detail NOT IN (?5, ?6))
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

  /// The number of mailed links refused since then that were opened from the caller's address with a token that was never issued.
  static func guessedLinks(from caller: Caller, since: Instant, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: """
        SELECT COUNT(*) FROM security_events INDEXED BY security_events_by_subscriber_kind
        WHERE subscriber = ? AND at > ? AND detail IN (?, ?, ?, ?, ?, ?) AND kind IN (
          'verificationLinkRefused', 'passwordRecoveryRefused', 'emailChangeRefused', 'emailChangeUndoRefused', 'loginAlertRefused',
          'suspensionLinkRefused')
        """)
    return try Int.fetchOne(
      statement,
      arguments: [
        SecurityEvent.subscriber(caller), since, VerificationFailure.linkInvalid.rawValue, RecoveryFailure.linkInvalid.rawValue,
        EmailChangeFailure.linkInvalid.rawValue, EmailChangeUndoFailure.linkInvalid.rawValue,
        LoginAlertFailure.linkInvalid.rawValue, SuspensionLinkFailure.linkInvalid.rawValue,
      ]) ?? 0
  }
}
