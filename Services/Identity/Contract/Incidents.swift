public import Operations

extension FeatureContract {
  static let incidents = FeatureContract(
    operations: [ListIncidents.self, GetIncident.self, CloseIncident.self],
    events: [AccountProtected.self, AdministratorAlerted.self])
}

/// What several security events are, taken together.
public enum IncidentPattern: String, Choice {
  /// Many attempts at one account's password.
  case accountGuessed
  /// The same from many addresses.
  case accountGuessedWidely
  /// One address tries many accounts.
  case addressGuessing
  /// Refresh tokens that had been exchanged were used again.
  case tokensReused
  /// Tokens of mailed links that nobody was sent.
  case linksGuessed
  /// Answers of external providers that prove nothing: forged or replayed tokens, states and codes, from one address.
  case proofsForged
  /// The same of one provider, from many addresses: somebody stands between, or something is set up wrongly.
  case providerDoubtful
  /// A login with the right password and everything else unlike the account.
  case riskyLogin
  /// Somebody was made an administrator.
  case administratorAppointed
  /// An administrator was dismissed.
  case administratorDismissed
  /// Secrets that have to be read back could not be kept, or were found damaged.
  case secretsFailing
  /// The ledger of coins does not add up.
  case ledgerFailing
}

/// What was done about an incident, without anybody's asking. Recovery by mail always stays open.
public enum IncidentMeasure: String, Choice {
  /// Attempts at the account must wait, longer and longer.
  case accountSlowedDown
  /// Attempts from the address must.
  case addressSlowedDown
  case sessionsClosed
  /// Every session and personal access token of the account.
  case everythingRevoked
  case loginRefused
  /// It is recorded, and that is all.
  case observed
}

/// One incident: events of one pattern that concern one account, came from one address or are about one external provider, from the
/// first until it has been quiet for a day or an administrator closes it.
public struct Incident: Document, Hashable {
  public var id: IncidentID
  public var pattern: IncidentPattern
  public var title: String
  public var severity: SecuritySeverity
  public var accountID: AccountID?
  public var username: Username?
  public var address: String?
  public var provider: String?
  public var count: Int
  public var firstAt: Instant
  public var lastAt: Instant
  public var measures: [IncidentMeasure]
  public var recommendation: String
  public var isOpen: Bool
  public var closedAt: Instant?
  public var closedByAccountID: AccountID?
  public var comment: String?

  public init(
    id: IncidentID, pattern: IncidentPattern, title: String, severity: SecuritySeverity, accountID: AccountID?,
    username: Username?,
    address: String?, provider: String?, count: Int, firstAt: Instant, lastAt: Instant, measures: [IncidentMeasure],
    recommendation: String,
    isOpen: Bool, closedAt: Instant?, closedByAccountID: AccountID?, comment: String?
  ) {
    self.id = id
    self.pattern = pattern
    self.title = title
    self.severity = severity
    self.accountID = accountID
    self.username = username
    self.address = address
    self.provider = provider
    self.count = count
    self.firstAt = firstAt
    self.lastAt = lastAt
    self.measures = measures
    self.recommendation = recommendation
    self.isOpen = isOpen
    self.closedAt = closedAt
    self.closedByAccountID = closedByAccountID
    self.comment = comment
  }

  public static let notes: Notes = [
    "id": "Id of the incident.", "pattern": "The pattern of its events.",
    "title": Note("The same in words, in the caller's language.", example: "Many attempts at one account's password"),
    "severity": "Its severity, which can rise.", "accountID": "The affected account, if there is one.",
    "username": "Its username; absent if the account no longer exists.",
    "address": "The network address that it comes from, if there is only one.",
    "provider": Note("The external provider that it is about, if there is one.", example: "google"),
    "count": Note("The number of its events.", range: 1...9e15, example: 7), "firstAt": "When the first event happened.",
    "lastAt": "When the last event happened.", "measures": "The reaction to it.",
    "recommendation": "What to do about it, in the caller's language.",
    "isOpen": "Whether it is open: it ends when an administrator closes it, or after a day without a further event.",
    "closedAt": "When it ended; absent while it is open.",
    "closedByAccountID": "The administrator who closed it; absent if it ended by itself.",
    "comment": "The comment of that administrator.",
  ]
}

/// Names an incident.
public typealias IncidentID = ID<Incident>

/// Lists incidents, the newest first.
public enum ListIncidents: AccountOperation {
  public struct Input: ListInput, Hashable {
    public var isOpen: Bool?
    public var severity: SecuritySeverity?
    public var pattern: IncidentPattern?
    public var limit: Int?
    public var cursor: PageCursor?

    public init(
      isOpen: Bool? = nil, severity: SecuritySeverity? = nil, pattern: IncidentPattern? = nil, limit: Int? = nil,
      cursor: PageCursor? = nil
    ) {
      self.isOpen = isOpen
      self.severity = severity
      self.pattern = pattern
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes([
      "isOpen": "Only those that last (true), or only those that ended (false).", "severity": "Only those of that severity.",
      "pattern": "Only those of that pattern.",
    ])
  }

  public typealias Output = Page<Incident>

  public static let spec = OperationSpec(
    "incidents.list", of: .identity, .get("/v1/incidents"), by: .administrator, effect: .read, requirements: ["ID-15"],
    "Lists incidents, newest first.")
}

/// Reads an incident with the last events of its account or address.
public enum GetIncident: AccountOperation {
  public struct Input: Document, Hashable {
    public var incidentID: IncidentID

    public init(incidentID: IncidentID) { self.incidentID = incidentID }

    public static let notes: Notes = ["incidentID": "The incident."]
  }

  public struct Output: Document, Hashable {
    public var incident: Incident
    public var events: [RecordedSecurityEvent]

    public init(incident: Incident, events: [RecordedSecurityEvent]) {
      self.incident = incident
      self.events = events
    }

    public static let notes: Notes = [
      "incident": "The incident.",
      "events": "The last security events of its account or address while it was open, newest first, at most 50.",
    ]
  }

  public static let spec = OperationSpec(
    "incidents.get", of: .identity, .get("/v1/incidents/{incidentID}"), by: .administrator, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-15"], "Returns an incident with its last events.")
}

/// Closes an incident. What happens after it is another one. Closing it twice is harmless; the first comment is kept.
public enum CloseIncident: AccountOperation {
  public struct Input: Document, Hashable {
    public var incidentID: IncidentID
    public var comment: String?

    public init(incidentID: IncidentID, comment: String? = nil) {
      self.incidentID = incidentID
      self.comment = comment
    }

    public static let notes: Notes = [
      "incidentID": "The incident.", "comment": Note("A comment on the incident.", length: 1...500, breaksLines: true),
    ]
  }

  public typealias Output = Incident

  public static let spec = OperationSpec(
    "incidents.close", of: .identity, .post("/v1/incidents/{incidentID}/close"), by: .administrator, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-15"], "Closes an incident.")
}

/// An account was protected automatically; its owner is to be notified. Of an incident each graver measure is published.
public struct AccountProtected: Event, Hashable {
  public var incidentID: IncidentID
  /// Nil where the login that was guessed at has no account: nobody is notified, and publishing takes as long.
  public var accountID: AccountID?
  public var pattern: IncidentPattern
  /// Nil in events of earlier versions: what goes with the pattern.
  public var measure: IncidentMeasure?
  public var at: Instant

  public init(
    incidentID: IncidentID, accountID: AccountID?, pattern: IncidentPattern, measure: IncidentMeasure? = nil, at: Instant
  ) {
    self.incidentID = incidentID
    self.accountID = accountID
    self.pattern = pattern
    self.measure = measure
    self.at = at
  }

  public static let notes: Notes = [
    "incidentID": "The incident that it was protected from.", "accountID": "The account; absent if there is none.",
    "pattern": "The pattern that was noticed.", "measure": "The reaction to it; if absent, the one that belongs to the pattern.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "accounts.protected", by: .identity, requirements: ["ID-15"], "An account was protected from an attack.")
}

/// An incident is critical; that administrator is to be notified at once.
public struct AdministratorAlerted: Event, Hashable {
  public var mailID: SecurityMailID
  public var accountID: AccountID
  public var incidentID: IncidentID
  public var title: String
  public var at: Instant

  public init(mailID: SecurityMailID, accountID: AccountID, incidentID: IncidentID, title: String, at: Instant) {
    self.mailID = mailID
    self.accountID = accountID
    self.incidentID = incidentID
    self.title = title
    self.at = at
  }

  public static let notes: Notes = [
    "mailID": "Id of the notice: one for each administrator and incident.", "accountID": "The administrator.",
    "incidentID": "The incident.", "title": "A description, in the administrator's language.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "administrators.alerted", by: .identity, requirements: ["ID-15"], "An administrator is to be notified of a critical incident."
  )
}
