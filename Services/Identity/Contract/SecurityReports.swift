public import Operations

extension FeatureContract {
  static let securityReports = FeatureContract(
    operations: [ListSecurityReports.self, GetSecurityReport.self], events: [SecurityReportReady.self])
}

/// What a report is about.
public enum ReportPeriod: String, Choice {
  /// One day, in UTC.
  case daily
  /// Monday to Sunday, in UTC.
  case weekly
}

/// How often something happened, against the period before.
public struct SecurityCount: Document, Hashable {
  public var kind: String
  public var severity: SecuritySeverity
  public var count: Int
  public var countBefore: Int

  public init(kind: String, severity: SecuritySeverity, count: Int, countBefore: Int) {
    self.kind = kind
    self.severity = severity
    self.count = count
    self.countBefore = countBefore
  }

  public static let notes: Notes = [
    "kind": Note("The kind of security event.", example: "loginFailed"), "severity": "The severity of one.",
    "count": Note("The number of events.", example: 12), "countBefore": Note("The number in the period before.", example: 9),
  ]
}

/// One incident of a report.
public struct RankedIncident: Document, Hashable {
  public var rank: Int
  public var incidentID: IncidentID
  public var pattern: IncidentPattern
  public var title: String
  public var severity: SecuritySeverity
  public var accountID: AccountID?
  public var username: Username?
  public var address: String?
  public var provider: String?
  public var count: Int
  public var recommendation: String

  public init(
    rank: Int, incidentID: IncidentID, pattern: IncidentPattern, title: String, severity: SecuritySeverity,
    accountID: AccountID?,
    username: Username?, address: String?, provider: String?, count: Int, recommendation: String
  ) {
    self.rank = rank
    self.incidentID = incidentID
    self.pattern = pattern
    self.title = title
    self.severity = severity
    self.accountID = accountID
    self.username = username
    self.address = address
    self.provider = provider
    self.count = count
    self.recommendation = recommendation
  }

  public static let notes: Notes = [
    "rank": Note("1 for what matters most: by severity, then by the number of events.", example: 1),
    "incidentID": "The incident.", "pattern": "The pattern of its events.",
    "title": "The same in words, in the caller's language.",
    "severity": "Its severity.", "accountID": "The affected account, if there is one.",
    "username": "Its username; absent if the account no longer exists.",
    "address": "The network address that the events came from, if there is only one.",
    "provider": Note("The external provider that it is about, if there is one.", example: "google"),
    "count": Note("The number of its events when the report was written.", example: 7),
    "recommendation": "What to do about it, in the caller's language.",
  ]
}

/// What happened in a period, for administrators.
public struct SecurityReport: Document, Hashable {
  public var id: SecurityReportID
  public var period: ReportPeriod
  public var firstDay: LocalDay
  public var lastDay: LocalDay
  public var createdAt: Instant
  public var title: String
  public var counts: [SecurityCount]
  public var incidentCount: Int
  public var incidentCountBefore: Int
  public var incidents: [RankedIncident]

  public init(
    id: SecurityReportID, period: ReportPeriod, firstDay: LocalDay, lastDay: LocalDay, createdAt: Instant, title: String,
    counts: [SecurityCount], incidentCount: Int, incidentCountBefore: Int, incidents: [RankedIncident]
  ) {
    self.id = id
    self.period = period
    self.firstDay = firstDay
    self.lastDay = lastDay
    self.createdAt = createdAt
    self.title = title
    self.counts = counts
    self.incidentCount = incidentCount
    self.incidentCountBefore = incidentCountBefore
    self.incidents = incidents
  }

  public static let notes: Notes = [
    "id": "Id of the report.", "period": "The length of its period.", "firstDay": "The first of its days, in UTC.",
    "lastDay": "The last of these days.", "createdAt": "When it was created.",
    "title": "A description, in the caller's language.",
    "counts": "The number of events of each kind, the most severe and most frequent first.",
    "incidentCount": Note("The number of incidents with events in the period.", example: 3),
    "incidentCountBefore": Note("The number in the period before.", example: 1),
    "incidents": "The 20 of them that matter most, ranked.",
  ]
}

/// Names the report of one day or week.
public typealias SecurityReportID = ID<SecurityReport>

/// Lists the reports, the newest first. They are kept for a year.
public enum ListSecurityReports: AccountOperation {
  public struct Input: ListInput, Hashable {
    public var period: ReportPeriod?
    public var limit: Int?
    public var cursor: PageCursor?

    public init(period: ReportPeriod? = nil, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.period = period
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["period": "Only daily ones, or only weekly ones."])
  }

  public typealias Output = Page<SecurityReport>

  public static let spec = OperationSpec(
    "securityReports.list", of: .identity, .get("/v1/security-reports"), by: .administrator, effect: .read,
    requirements: ["ID-15"], "Lists the security reports, newest first.")
}

/// Reads a report.
public enum GetSecurityReport: AccountOperation {
  public struct Input: Document, Hashable {
    public var reportID: SecurityReportID

    public init(reportID: SecurityReportID) { self.reportID = reportID }

    public static let notes: Notes = ["reportID": "The report."]
  }

  public typealias Output = SecurityReport

  public static let spec = OperationSpec(
    "securityReports.get", of: .identity, .get("/v1/security-reports/{reportID}"), by: .administrator, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-15"], "Returns a security report.")
}

/// A report was made; that administrator is to have it by mail.
public struct SecurityReportReady: Event, Hashable {
  public var mailID: SecurityMailID
  public var accountID: AccountID

  public init(mailID: SecurityMailID, accountID: AccountID) {
    self.mailID = mailID
    self.accountID = accountID
  }

  public static let notes: Notes = [
    "mailID": "Id of the mail: one for each report and administrator.", "accountID": "The administrator.",
  ]

  public static let spec = EventSpec(
    "securityReports.ready", by: .identity, requirements: ["ID-15"],
    "A security report is ready to be mailed to an administrator.")
}
