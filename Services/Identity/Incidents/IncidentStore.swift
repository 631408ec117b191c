import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Whom or what the events of an incident have in common.
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
  var quietAt: Instant { lastAt.adding(seconds: IncidentRule.quietSeconds) }
}

extension Database {
  /// The incident of that id.
  func incident(_ id: IncidentID) throws -> IncidentRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM incidents WHERE incident_id = ?"), arguments: [id])
      .map(IncidentRecord.init)
  }

  /// The incident of that pattern and subject that nobody has closed.
  func openIncident(_ pattern: IncidentPattern, _ subject: IncidentSubject) throws -> IncidentRecord? {
    try Row.fetchOne(
      cachedStatement(sql: "SELECT * FROM incidents WHERE pattern = ? AND subject = ? AND closed_at IS NULL"),
      arguments: [pattern, subject.key]
    ).map(IncidentRecord.init)
  }

  /// Incidents, the newest first: ids grow with time.
  func incidents(_ input: ListIncidents.Input, before last: IncidentID?, limit: Int, now: Instant) throws -> [IncidentRecord] {
    var (conditions, arguments) = (
      ["(:last IS NULL OR incident_id < :last)"], ["last": last, "limit": limit] as StatementArguments
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
      arguments += ["quiet": now.adding(seconds: -IncidentRule.quietSeconds)]
    }
    let sql = "SELECT * FROM incidents WHERE \(conditions.joined(separator: " AND ")) ORDER BY incident_id DESC LIMIT :limit"
    return try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments).map(IncidentRecord.init)
  }

  /// Whether the owner has been told the same of another incident that lasts. Nobody has been told where there is none; it is looked up
  /// all the same.
  fileprivate func isOwnerNotified(_ subject: IncidentSubject, of patterns: [IncidentPattern], now: Instant) throws -> Bool {
    try Row.fetchOne(
      cachedStatement(
        sql: """
          SELECT 1 FROM incidents WHERE account_id IS ?1 AND (?1 IS NOT NULL OR subject = ?2) AND pattern IN (?3, ?4)
            AND owner_told_at IS NOT NULL AND closed_at IS NULL AND last_at > ?5
          """),
      arguments: [
        subject.account, subject.key, patterns.first, patterns.last, now.adding(seconds: -IncidentRule.quietSeconds),
      ]) != nil
  }

  /// Of how many incidents of the pattern administrators were told within the last hour: a flood of one kind hides no other.
  fileprivate func recentNotices(_ pattern: IncidentPattern, now: Instant) throws -> Int {
    try Int.fetchOne(
      cachedStatement(sql: "SELECT COUNT(*) FROM incidents WHERE administrators_told_at > ? AND pattern = ?"),
      arguments: [now.adding(seconds: -3600), pattern]) ?? 0
  }
}

extension Transaction {
  /// Counts a finding: as one more event of the incident that lasts, else as a new incident. Its owner is told of each measure that is new
  /// with it, and of one that becomes critical administrators are told, once.
  func raise(_ finding: IncidentFinding, on subject: IncidentSubject) throws {
    let last = try database.openIncident(finding.pattern, subject)
    if let last, now < last.quietAt {
      let severity = last.severity == .critical ? .critical : finding.severity
      try database.cachedStatement(
        sql: "UPDATE incidents SET count = count + 1, last_at = ?, severity = ?, address = ? WHERE incident_id = ?"
      ).execute(arguments: [now, severity, subject.address, last.id])
      guard severity != last.severity else { return }
      let isNew =
        IncidentRule.noticeToOwner(finding.pattern, severity) != IncidentRule.noticeToOwner(finding.pattern, last.severity)
      if isNew { try notifyOwner(last.id, finding.pattern, severity, subject) }
      try notifyAdministrators(last.id, finding.pattern)
      return
    }
    if let last { try closeIncident(last.id, by: nil, at: last.quietAt, comment: nil) }
    let id = IncidentID()
    try database.cachedStatement(
      sql: """
        INSERT INTO incidents (incident_id, pattern, subject, severity, account_id, address, count, first_at, last_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
        """
    ).execute(arguments: [
      id, finding.pattern, subject.key, finding.severity, subject.account, subject.address, finding.count, now,
    ])
    if try !database.isOwnerNotified(subject, of: IncidentRule.noticedTogether(finding.pattern), now: now) {
      try notifyOwner(id, finding.pattern, finding.severity, subject)
    }
    if finding.severity == .critical { try notifyAdministrators(id, finding.pattern) }
  }

  /// Counts one more event of an incident, which is as grave as their number.
  ///
  /// - Parameter count: those that are known of otherwise, for an incident that nobody has open.
  func raiseFurther(_ pattern: IncidentPattern, after count: Int, on subject: IncidentSubject) throws {
    let last = try database.openIncident(pattern, subject).flatMap { now < $0.quietAt ? $0.count : nil }
    try raise(IncidentFinding(pattern, count: max(last ?? 0, count) + 1), on: subject)
  }

  /// Ends an incident.
  func closeIncident(_ id: IncidentID, by administrator: AccountID?, at instant: Instant, comment: String?) throws {
    try database.cachedStatement(
      sql: "UPDATE incidents SET closed_at = ?, closed_by = ?, comment = ? WHERE incident_id = ? AND closed_at IS NULL"
    ).execute(arguments: [instant, administrator, comment, id])
  }

  /// Tells the owner what was done. The same is written where what was guessed at is nobody's, so that it takes as long.
  private func notifyOwner(
    _ id: IncidentID, _ pattern: IncidentPattern, _ severity: SecuritySeverity, _ subject: IncidentSubject
  ) throws {
    guard let measure = IncidentRule.noticeToOwner(pattern, severity) else { return }
    try database.cachedStatement(sql: "UPDATE incidents SET owner_told_at = ? WHERE incident_id = ?")
      .execute(arguments: [now, id])
    try publish(AccountProtected(incidentID: id, accountID: subject.account, pattern: pattern, measure: measure, at: now))
  }

  /// Tells each administrator of a critical incident, unless that was done before or they were told of too many lately.
  private func notifyAdministrators(_ id: IncidentID, _ pattern: IncidentPattern) throws {
    guard try database.recentNotices(pattern, now: now) < IncidentRule.maxNoticesPerHour else { return }
    try database.cachedStatement(
      sql: "UPDATE incidents SET administrators_told_at = ? WHERE incident_id = ? AND administrators_told_at IS NULL"
    ).execute(arguments: [now, id])
    guard database.changesCount > 0 else { return }
    for administrator in try database.administrators() {
      try publish(
        AdministratorAlerted(
          mailID: try addSecurityMail(to: administrator.id, about: id), accountID: administrator.id, incidentID: id,
          title: SecurityWords.title(pattern, administrator.language), at: now))
    }
  }
}
