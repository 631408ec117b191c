import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The account, address or other value that the events of an incident have in common.
struct IncidentSubject: Hashable, Sendable {
  let key: String
  let account: AccountID?
  let address: String?

  /// An account.
  static func account(_ account: AccountID) -> IncidentSubject {
    IncidentSubject(key: "account \(account)", account: account, address: nil)
  }

  /// What attempts at a password count against, which need not be an account.
  static func login(_ subject: LoginSubject) -> IncidentSubject {
    IncidentSubject(key: "login \(Base64URL.encode(subject.account))", account: subject.accountID, address: nil)
  }

  /// An external provider.
  static func provider(_ provider: ExternalProviderName) -> IncidentSubject {
    IncidentSubject(key: providerPrefix + provider.description, account: nil, address: nil)
  }

  /// The external provider that a key names, if one.
  static func provider(_ key: String) -> String? {
    key.hasPrefix(providerPrefix) ? String(key.dropFirst(providerPrefix.count)) : nil
  }

  private static let providerPrefix = "provider "

  /// The system as a whole.
  static let system = IncidentSubject(key: "system", account: nil, address: nil)

  /// The subscriber behind an address.
  static func address(_ address: String) -> IncidentSubject {
    IncidentSubject(key: "address \(Base64URL.encode(ClientAddress(address).bytes))", account: nil, address: address)
  }
}

/// An incident as it is kept.
struct IncidentRecord: Sendable {
  let id: IncidentID
  let pattern: IncidentPattern
  let severity: SecuritySeverity
  let accountID: AccountID?
  let address: String?
  /// The external provider, where it is about one.
  let provider: String?
  let count: Int
  let firstAt: Instant
  let lastAt: Instant
  let closedAt: Instant?
  let closedBy: AccountID?
  let comment: String?

  init(_ row: Row) {
    id = row["incident_id"]
    pattern = row["pattern"]
    severity = row["severity"]
    accountID = row["account_id"]
    address = row["address"]
    provider = IncidentSubject.provider(row["subject"] as String)
    count = row["count"]
    firstAt = row["first_at"]
    lastAt = row["last_at"]
    closedAt = row["closed_at"]
    closedBy = row["closed_by"]
    comment = row["comment"]
  }

  /// When it was or will be over by itself.
  var quietAt: Instant { lastAt.adding(seconds: IncidentRules.quietSeconds) }
}

/// The incidents: one of a pattern and subject while it lasts.
enum IncidentStore {
  /// As long as reports are, which lead to them.
  static let keptSeconds = SecurityReportRules.keptSeconds

  static func migration(_ number: Int) -> Migration {
    Migration(number, "incidents") { database in
      try database.execute(
        sql: """
          CREATE TABLE incidents (
            incident_id BLOB NOT NULL PRIMARY KEY CHECK (length(incident_id) = 16),
            pattern TEXT NOT NULL,
            -- What the events have in common: an account, a keyed hash of what was typed for one, an address.
            subject TEXT NOT NULL,
            severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
            account_id BLOB REFERENCES accounts (account_id) ON DELETE SET NULL,
            address TEXT,
            count INTEGER NOT NULL CHECK (count > 0),
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            owner_told_at INTEGER,
            administrators_told_at INTEGER,
            closed_at INTEGER,
            closed_by BLOB CHECK (length(closed_by) = 16),
            comment TEXT
          ) STRICT, WITHOUT ROWID;
          -- One open incident per pattern and subject.
          CREATE UNIQUE INDEX incidents_open ON incidents (pattern, subject) WHERE closed_at IS NULL;
          CREATE INDEX incidents_by_time ON incidents (last_at);
          CREATE INDEX incidents_by_telling ON incidents (administrators_told_at) WHERE administrators_told_at IS NOT NULL;
          CREATE INDEX incidents_by_account ON incidents (account_id) WHERE account_id IS NOT NULL;

          CREATE INDEX security_events_by_address ON security_events (address, at);
          """)
    }
  }

  /// What is looked through for each of them: its kind is named in the query, or the index is not taken.
  static func proofsMigration(_ number: Int) -> Migration {
    Migration(number, "refused proofs of external providers") { database in
      try database.execute(
        sql: """
          CREATE INDEX security_events_of_proofs ON security_events (at) WHERE kind = 'externalProofRefused';
          """)
    }
  }

  /// Events of one subscriber count together, who has 2^64 IPv6 addresses: see ``SecurityEvent/subscriber(_:)``.
  static func subscribersMigration(_ number: Int) -> Migration {
    Migration(number, "subscribers of security events") { database in
      try database.execute(sql: "ALTER TABLE security_events ADD COLUMN subscriber BLOB")
      let addresses = try String.fetchAll(
        database, sql: "SELECT DISTINCT address FROM security_events WHERE address IS NOT NULL")
      for address in addresses {
        try database.execute(
          sql: "UPDATE security_events SET subscriber = ? WHERE address = ?",
          arguments: [SecurityEvent.subscriber(address), address])
      }
      try database.execute(
        sql: """
          DROP INDEX security_events_by_address;
          CREATE INDEX security_events_by_subscriber ON security_events (subscriber, at) WHERE subscriber IS NOT NULL;
          """)
    }
  }

  /// With those that are nobody's, so that a login that is an account's and one that is not write as many pages.
  static func unownedMigration(_ number: Int) -> Migration {
    Migration(number, "incidents that are nobody's") { database in
      try database.execute(
        sql: """
          DROP INDEX incidents_by_account;
          CREATE INDEX incidents_by_account ON incidents (account_id);
          """)
    }
  }

  /// When its owner and the administrators were notified is called so.
  static func notifiedMigration(_ number: Int) -> Migration {
    Migration(number, "notified owners and administrators") { database in
      try database.execute(
        sql: """
          ALTER TABLE incidents RENAME COLUMN owner_told_at TO owner_notified_at;
          ALTER TABLE incidents RENAME COLUMN administrators_told_at TO administrators_notified_at;
          DROP INDEX incidents_by_telling;
          CREATE INDEX incidents_by_notification ON incidents (administrators_notified_at)
          WHERE administrators_notified_at IS NOT NULL;
          """)
    }
  }

  /// For the list's filters; the key of the table follows in each.
  static func listMigration(_ number: Int) -> Migration {
    Migration(number, "lists of incidents") { database in
      try database.execute(
        sql: """
          CREATE INDEX incidents_by_pattern ON incidents (pattern);
          CREATE INDEX incidents_by_severity ON incidents (severity);
          """)
    }
  }

  /// The incident of that id.
  static func find(_ id: IncidentID, in database: Database) throws -> IncidentRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM incidents WHERE incident_id = ?"), arguments: [id])
      .map(IncidentRecord.init)
  }

  /// The incident of that pattern and subject that nobody has closed.
  static func findOpen(_ pattern: IncidentPattern, _ subject: IncidentSubject, in database: Database) throws -> IncidentRecord? {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT * FROM incidents WHERE pattern = ? AND subject = ? AND closed_at IS NULL"),
      arguments: [pattern, subject.key]
    ).map(IncidentRecord.init)
  }

  /// Incidents, the newest first: ids grow with time.
  static func list(
    _ input: ListIncidents.Input, before last: IncidentID?, limit: Int, now: Instant, in database: Database
  ) throws -> [IncidentRecord] {
    var (conditions, arguments) = (
      ["incident_id < :last"], ["last": last ?? .last, "limit": limit] as StatementArguments
    )
    if let severity = input.severity {
      conditions.append("severity = :severity")
      arguments += ["severity": severity]
    }
    if let pattern = input.pattern {
      conditions.append("pattern = :pattern")
      arguments += ["pattern": pattern]
    }
    if let isOpen = input.isOpen {
      // One that has been quiet is over, whether or not that has been written down.
      conditions.append("\(isOpen ? "" : "NOT ")(closed_at IS NULL AND last_at > :quiet)")
      arguments += ["quiet": now.adding(seconds: -IncidentRules.quietSeconds)]
    }
    // Open incidents are those of the last day.
    let sql = """
      SELECT * FROM incidents \(input.isOpen == true ? "INDEXED BY incidents_by_time" : "")
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY incident_id DESC LIMIT :limit
      """
    return try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments).map(IncidentRecord.init)
  }

  /// Whether the owner has had the same notice for another open incident. Without an owner the answer is no; it is looked up all the same.
  private static func isOwnerNotified(
    _ subject: IncidentSubject, of patterns: [IncidentPattern], now: Instant, in database: Database
  ) throws -> Bool {
    try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT 1 FROM incidents WHERE account_id IS ?1 AND (?1 IS NOT NULL OR subject = ?2) AND pattern IN (?3, ?4)
            AND owner_notified_at IS NOT NULL AND closed_at IS NULL AND last_at > ?5
          """),
      arguments: [
        subject.account, subject.key, patterns.first, patterns.last, now.adding(seconds: -IncidentRules.quietSeconds),
      ]) != nil
  }

  /// Of how many incidents of the pattern administrators were notified within the last hour: a flood of one kind hides no other.
  private static func recentNotices(_ pattern: IncidentPattern, now: Instant, in database: Database) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(sql: "SELECT COUNT(*) FROM incidents WHERE administrators_notified_at > ? AND pattern = ?"),
      arguments: [now.adding(seconds: -3600), pattern]) ?? 0
  }

  /// Counts a finding: as one more event of the incident that lasts, else as a new incident. Its owner is notified of each measure that is
  /// new with it, and of one that becomes critical administrators are notified, once.
  static func raise(_ finding: IncidentFinding, on subject: IncidentSubject, _ transaction: Transaction) throws {
    let last = try findOpen(finding.pattern, subject, in: transaction.database)
    if let last, transaction.now < last.quietAt {
      let severity = last.severity == .critical ? .critical : finding.severity
      try transaction.database.cachedStatement(
        sql: "UPDATE incidents SET count = count + 1, last_at = ?, severity = ?, address = ? WHERE incident_id = ?"
      ).execute(arguments: [transaction.now, severity, subject.address, last.id])
      guard severity != last.severity else { return }
      let isNew =
        IncidentRules.noticeToOwner(finding.pattern, severity) != IncidentRules.noticeToOwner(finding.pattern, last.severity)
      if isNew { try notifyOwner(last.id, finding.pattern, severity, subject, transaction) }
      try notifyAdministrators(last.id, finding.pattern, transaction)
      return
    }
    if let last { try close(last.id, by: nil, at: last.quietAt, comment: nil, transaction) }
    let id = IncidentID()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO incidents (incident_id, pattern, subject, severity, account_id, address, count, first_at, last_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
        """
    ).execute(arguments: [
      id, finding.pattern, subject.key, finding.severity, subject.account, subject.address, finding.count, transaction.now,
    ])
    if try !isOwnerNotified(
      subject, of: IncidentRules.noticedTogether(finding.pattern), now: transaction.now, in: transaction.database)
    {
      try notifyOwner(id, finding.pattern, finding.severity, subject, transaction)
    }
    if finding.severity == .critical { try notifyAdministrators(id, finding.pattern, transaction) }
  }

  /// Counts one more event of an incident, which is as grave as their number.
  ///
  /// - Parameter count: those that are known of otherwise, for an incident that nobody has open.
  static func raiseFurther(
    _ pattern: IncidentPattern, after count: Int, on subject: IncidentSubject, _ transaction: Transaction
  ) throws {
    let last = try findOpen(pattern, subject, in: transaction.database).flatMap { transaction.now < $0.quietAt ? $0.count : nil }
    try raise(IncidentFinding(pattern, count: max(last ?? 0, count) + 1), on: subject, transaction)
  }

  /// Ends an incident.
  static func close(
    _ id: IncidentID, by administrator: AccountID?, at instant: Instant, comment: String?, _ transaction: Transaction
  ) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE incidents SET closed_at = ?, closed_by = ?, comment = ? WHERE incident_id = ? AND closed_at IS NULL"
    ).execute(arguments: [instant, administrator, comment, id])
  }

  /// Notifies the owner of the measure. The same rows are written where there is no owner, so that it takes as long.
  private static func notifyOwner(
    _ id: IncidentID, _ pattern: IncidentPattern, _ severity: SecuritySeverity, _ subject: IncidentSubject,
    _ transaction: Transaction
  ) throws {
    guard let measure = IncidentRules.noticeToOwner(pattern, severity) else { return }
    try transaction.database.cachedStatement(sql: "UPDATE incidents SET owner_notified_at = ? WHERE incident_id = ?")
      .execute(arguments: [transaction.now, id])
    try transaction.publish(
      AccountProtected(incidentID: id, accountID: subject.account, pattern: pattern, measure: measure, at: transaction.now))
  }

  /// Notifies each administrator of a critical incident, unless that was done before or they had too many such notices lately.
  private static func notifyAdministrators(_ id: IncidentID, _ pattern: IncidentPattern, _ transaction: Transaction) throws {
    guard try recentNotices(pattern, now: transaction.now, in: transaction.database) < IncidentRules.maxNoticesPerHour else {
      return
    }
    try transaction.database.cachedStatement(
      sql: "UPDATE incidents SET administrators_notified_at = ? WHERE incident_id = ? AND administrators_notified_at IS NULL"
    ).execute(arguments: [transaction.now, id])
    guard transaction.database.changesCount > 0 else { return }
    for administrator in try AdministratorStore.all(in: transaction.database) {
      try transaction.publish(
        AdministratorAlerted(
          mailID: try SecurityMailStore.add(to: administrator.id, about: id, transaction), accountID: administrator.id,
          incidentID: id,
          title: SecurityWords.title(pattern, administrator.language), at: transaction.now))
    }
  }
}
