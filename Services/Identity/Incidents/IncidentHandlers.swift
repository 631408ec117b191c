import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Incidents: listed, read and closed by administrators.
enum IncidentHandlers {
  static func list(_ input: ListIncidents.Input, _ call: AccountCall, _ database: Database) throws -> Page<Incident> {
    let administrator = try call.liveAdministrator(database)
    let page = try call.page(input)
    let incidents = try IncidentStore.list(
      input, before: page.cursor(IncidentID.init(text:)), limit: page.fetchLimit, now: call.now, in: database)
    return try page.page(of: incidents, key: \.id) { try $0.shown(administrator.language, database, now: call.now) }
  }

  static func get(_ input: GetIncident.Input, _ call: AccountCall, _ database: Database) throws -> GetIncident.Output {
    let administrator = try call.liveAdministrator(database)
    guard let incident = try IncidentStore.find(input.incidentID, in: database) else { throw Failure(RequestFailure.notFound) }
    return GetIncident.Output(
      incident: try incident.shown(administrator.language, database, now: call.now),
      events: try events(around: incident, in: database))
  }

  static func close(_ input: CloseIncident.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Incident {
    let administrator = try call.liveAdministrator(transaction.database)
    guard let incident = try IncidentStore.find(input.incidentID, in: transaction.database) else {
      throw Failure(RequestFailure.notFound)
    }
    if incident.closedAt == nil, transaction.now < incident.quietAt {
      try IncidentStore.close(incident.id, by: administrator.id, at: transaction.now, comment: input.comment, transaction)
      try SecurityEventStore.record(
        SecurityEvent(.incidentClosed, account: administrator.id, detail: incident.id.description), from: call.caller, transaction
      )
    }
    guard let closed = try IncidentStore.find(incident.id, in: transaction.database) else {
      throw Failure(RequestFailure.notFound)
    }
    return try closed.shown(administrator.language, transaction.database, now: transaction.now)
  }
}

extension IncidentRecord {
  /// What administrators see.
  func shown(_ language: Language, _ database: Database, now: Instant) throws -> Incident {
    let isOver = closedAt != nil || now >= quietAt
    return Incident(
      id: id, pattern: pattern, title: SecurityWords.title(pattern, language), severity: severity, accountID: accountID,
      username: try accountID.flatMap { try AccountStore.find($0, in: database)?.username }, address: address, provider: provider,
      count: count,
      firstAt: firstAt, lastAt: lastAt, measures: IncidentRules.measures(pattern, severity),
      recommendation: SecurityWords.recommendation(pattern, language), isOpen: !isOver,
      closedAt: closedAt ?? (isOver ? quietAt : nil), closedByAccountID: closedBy, comment: comment)
  }

  /// The mail about the incident to an administrator. It names an account only by its id, which identifies nobody after the erasure, since
  /// a sent mail cannot be changed; `incidents.get` shows the account.
  ///
  /// - Parameter recommendation: for the account's owner, whose recommendation differs from that of administrators.
  func mail(to reader: AccountRecord, recommending recommendation: String? = nil) -> SecurityMail {
    let language = reader.language
    func line(_ key: String, _ parameters: [String: Parameter]) -> String {
      SecurityWords.text("incident.line.\(key)", language, parameters)
    }
    var lines = [
      line("severity", ["severity": .text(SecurityWords.severity(severity, language))]),
      line("count", ["count": .number(count)]),
    ]
    if let accountID { lines.append(line("account", ["accountID": .text(accountID.description)])) }
    if let address { lines.append(line("address", ["address": .text(address)])) }
    if let provider { lines.append(line("provider", ["provider": .text(provider)])) }
    lines.append(line("incident", ["incidentID": .text(id.description)]))
    lines.append(line("since", ["at": .text(firstAt.description)]))
    return SecurityMail(
      email: reader.email, username: reader.username, language: language, title: SecurityWords.title(pattern, language),
      lines: lines, recommendations: [recommendation ?? SecurityWords.recommendation(pattern, language)])
  }
}

extension IncidentHandlers {
  /// The events of an incident's account, address or provider, the newest first.
  private static func events(around incident: IncidentRecord, in database: Database) throws -> [RecordedSecurityEvent] {
    let (condition, value): (String, any DatabaseValueConvertible)
    if let account = incident.accountID {
      (condition, value) = ("event.account_id = :value", account)
    } else if let address = incident.address {
      (condition, value) = ("event.subscriber = :value", SecurityEvent.subscriber(address))
    } else if let provider = incident.provider {
      (condition, value) = ("event.kind = 'externalProofRefused' AND instr(event.detail, :value) = 1", "\(provider) ")
    } else {
      return []
    }
    // What made it an incident was before its first instant.
    let since = incident.firstAt.adding(seconds: -Lockout.memorySeconds)
    return try SecurityEventStore.list(
      where: [condition, "event.at >= :from", "event.at <= :to"],
      ["value": value, "from": since, "to": incident.closedAt ?? incident.quietAt, "limit": 50], in: database)
  }
}
