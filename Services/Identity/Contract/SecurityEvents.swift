public import Operations

extension FeatureContract {
  static let securityEvents = FeatureContract(operations: [ListSecurityEvents.self])
}

/// How much a security event or an incident matters.
public enum SecuritySeverity: String, Choice {
  case info, warning
  /// Administrators are notified at once.
  case critical
}

/// Something that bore on the safety of an account, as administrators see it. It never holds a secret.
public struct RecordedSecurityEvent: Document, Hashable {
  public var id: ID<RecordedSecurityEvent>
  public var at: Instant
  public var kind: String
  public var severity: SecuritySeverity
  public var accountID: AccountID?
  public var username: Username?
  public var sessionID: SessionID?
  public var address: String?
  public var userAgent: String?
  public var detail: String?

  public init(
    id: ID<RecordedSecurityEvent>, at: Instant, kind: String, severity: SecuritySeverity, accountID: AccountID?,
    username: Username?,
    sessionID: SessionID?, address: String?, userAgent: String?, detail: String?
  ) {
    self.id = id
    self.at = at
    self.kind = kind
    self.severity = severity
    self.accountID = accountID
    self.username = username
    self.sessionID = sessionID
    self.address = address
    self.userAgent = userAgent
    self.detail = detail
  }

  public static let notes: Notes = [
    "id": "Id of the event.", "at": "When it happened.", "kind": Note("What happened.", example: "loginFailed"),
    "severity": "Its severity.", "accountID": "The affected account; absent if none is known.",
    "username": "Its username; absent if the account no longer exists.", "sessionID": "The affected session, if there is one.",
    "address": "The address that it came from.", "userAgent": "What the client said about itself.",
    "detail": "The code of the rule that decided.",
  ]
}

/// Lists security events, the newest first. They are kept for 90 days.
public enum ListSecurityEvents: AccountOperation {
  public struct Input: ListInput, Hashable {
    public var severity: SecuritySeverity?
    public var kind: String?
    public var accountID: AccountID?
    public var from: Instant?
    public var to: Instant?
    public var limit: Int?
    public var cursor: PageCursor?

    public init(
      severity: SecuritySeverity? = nil, kind: String? = nil, accountID: AccountID? = nil, from: Instant? = nil,
      to: Instant? = nil,
      limit: Int? = nil, cursor: PageCursor? = nil
    ) {
      self.severity = severity
      self.kind = kind
      self.accountID = accountID
      self.from = from
      self.to = to
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes([
      "severity": "Only those of that severity.",
      "kind": Note("Only those of that kind.", length: 1...60, example: "loginFailed"),
      "accountID": "Only those of that account.", "from": "Only those from that instant on.", "to": "Only those before it.",
    ])
  }

  public typealias Output = Page<RecordedSecurityEvent>

  public static let spec = OperationSpec(
    "securityEvents.list", of: .identity, .get("/v1/security-events"), by: .administrator, effect: .read,
    requirements: ["ID-15"], "Lists security events, newest first.")
}
