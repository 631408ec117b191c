public import Operations

extension FeatureContract {
  static let moderationCases = FeatureContract(
    operations: [
      ListModerationCases.self, GetModerationCase.self, GetReportedPhoto.self, DownloadReportedFileChunk.self,
      DecideModerationCase.self,
    ])
}

/// What moderators decide about what was reported (SOC-8).
public enum ModerationOutcome: String, Choice {
  /// The content breaks no rule. Only the reporters are notified.
  case nothing
  /// What was reported is removed.
  case removed
  /// The account is warned.
  case warned
  /// The account is suspended for some days.
  case suspended
  /// The account is suspended for ever.
  case banned
}

/// What was reported, as the server copied it when that was (SOC-8).
public struct ReportedContent: Document, Hashable {
  public var username: Username?
  public var nickname: String?
  public var text: String?
  public var writtenAt: Instant?
  public var photoTag: String?
  public var photoWidth: Int?
  public var photoHeight: Int?
  public var comment: String?
  public var file: ReportedFile?

  public init(
    username: Username? = nil, nickname: String? = nil, text: String? = nil, writtenAt: Instant? = nil, photoTag: String? = nil,
    photoWidth: Int? = nil, photoHeight: Int? = nil, comment: String? = nil, file: ReportedFile? = nil
  ) {
    self.username = username
    self.nickname = nickname
    self.text = text
    self.writtenAt = writtenAt
    self.photoTag = photoTag
    self.photoWidth = photoWidth
    self.photoHeight = photoHeight
    self.comment = comment
    self.file = file
  }

  public static let notes: Notes = [
    "username": "The account's username at that time.", "nickname": "Its nickname at that time.",
    "text": Note("The text.", breaksLines: true), "writtenAt": "When it was written or attached; absent if that is not known.",
    "photoTag": "Identifies the photo; absent without one.",
    "photoWidth": Note("For a message's photo: its width in pixels.", range: 1...65535, example: 800),
    "photoHeight": Note("For a message's photo: its height in pixels.", range: 1...65535, example: 600),
    "comment": Note("For an entry: its comment; `text` is the activity's title.", breaksLines: true),
    "file": "For a file attached to a task: its name; `moderation.downloadFileChunk` reads the file.",
  ]
}

/// A file that was reported, as it was attached to a task (SOC-8).
public struct ReportedFile: Document, Hashable {
  public var name: TaskAttachmentName
  public var mediaType: TaskAttachmentType
  public var totalBytes: Int

  public init(name: TaskAttachmentName, mediaType: TaskAttachmentType, totalBytes: Int) {
    self.name = name
    self.mediaType = mediaType
    self.totalBytes = totalBytes
  }

  public static let notes: Notes = [
    "name": "Its name.", "mediaType": "Its media type, as declared by the account that attached it.",
    "totalBytes": Note("Its size.", range: 1...Double(1 << 40), example: 204_800),
  ]
}

/// What moderators decided about a case (SOC-8).
public struct ModerationDecision: Document, Hashable {
  public var outcome: ModerationOutcome
  public var removesContent: Bool
  public var reason: ReportText?
  public var note: ReportText?
  public var until: Instant?
  public var administratorAccountID: AccountID?
  public var at: Instant

  public init(
    outcome: ModerationOutcome, removesContent: Bool, reason: ReportText?, note: ReportText?, until: Instant?,
    administratorAccountID: AccountID?, at: Instant
  ) {
    self.outcome = outcome
    self.removesContent = removesContent
    self.reason = reason
    self.note = note
    self.until = until
    self.administratorAccountID = administratorAccountID
    self.at = at
  }

  public static let notes: Notes = [
    "outcome": "The decision.", "removesContent": "Whether what was reported was removed.",
    "reason": "The reason that the account reads.", "note": "A note for administrators only.",
    "until": "Until when the account is suspended; the last possible instant for a ban.",
    "administratorAccountID": "The administrator who decided; absent if that account no longer exists.",
    "at": "When it happened.",
  ]
}

/// All reports of one thing until they are decided, for administrators (SOC-8).
public struct ModerationCase: Document, Hashable {
  public var id: ID<ModerationCase>
  public var subject: ReportSubject
  public var accountID: AccountID
  public var username: Username?
  public var nickname: String?
  public var photoURL: PhotoURL?
  public var reportCount: Int
  public var reasons: [ReportReason]
  public var content: ReportedContent?
  public var reportedAt: Instant
  public var decision: ModerationDecision?
  public var appeal: Appeal?

  public init(
    id: ID<ModerationCase>, subject: ReportSubject, accountID: AccountID, username: Username?, nickname: String?,
    photoURL: PhotoURL?, reportCount: Int, reasons: [ReportReason], content: ReportedContent?, reportedAt: Instant,
    decision: ModerationDecision?, appeal: Appeal?
  ) {
    self.id = id
    self.subject = subject
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.reportCount = reportCount
    self.reasons = reasons
    self.content = content
    self.reportedAt = reportedAt
    self.decision = decision
    self.appeal = appeal
  }

  public static let notes: Notes = [
    "id": "Id of the case.", "subject": "What was reported.", "accountID": "The account that it belongs to.",
    "username": "Its username now.", "nickname": "Its nickname now, if it has one.", "photoURL": "Its photo now, if it has one.",
    "reportCount": Note("The number of accounts that reported it.", range: 1...9e15, example: 2),
    "reasons": "The reasons of the reports, each once.",
    "content": "The copy made by the newest report; absent if it is no longer kept.",
    "reportedAt": "When it was first reported.", "decision": "The decision; absent until there is one.",
    "appeal": "The account's appeal, if it made one.",
  ]
}

/// One report of a case, for administrators (SOC-8).
public struct ModerationReport: Document, Hashable {
  public var id: ID<Report>
  public var reporterAccountID: AccountID?
  public var reporterUsername: Username?
  public var reason: ReportReason
  public var text: ReportText?
  public var content: ReportedContent?
  public var sentAt: Instant

  public init(
    id: ID<Report>, reporterAccountID: AccountID?, reporterUsername: Username?, reason: ReportReason, text: ReportText?,
    content: ReportedContent?, sentAt: Instant
  ) {
    self.id = id
    self.reporterAccountID = reporterAccountID
    self.reporterUsername = reporterUsername
    self.reason = reason
    self.text = text
    self.content = content
    self.sentAt = sentAt
  }

  public static let notes: Notes = [
    "id": "Id of the report.", "reporterAccountID": "The account that reported; absent if it no longer exists.",
    "reporterUsername": "Its username.", "reason": "What is wrong.", "text": "The text of the report.",
    "content": "The copy that was made; absent if it is no longer kept.", "sentAt": "When it was sent.",
  ]
}

/// Why a case is not decided (SOC-8).
public enum ModerationFailure: String, FailureCode {
  case decided = "case_decided"
  /// The administrator is the reported account.
  case aboutOneself = "case_about_oneself"
  /// The administrator has reported it, and another one can decide.
  case ofOwnReport = "case_of_own_report"
  /// An administrator cannot be suspended: only the system's operator can dismiss one.
  case administrator = "account_administers"
  case suspensionEnded = "suspension_ended"

  public var status: Int {
    switch self {
    case .aboutOneself, .ofOwnReport: 403
    case .decided, .administrator, .suspensionEnded: 409
    }
  }
}

/// The open cases, the longest waiting first (SOC-8).
public enum ListModerationCases: AccountOperation {
  public struct Input: ListInput {
    public var kind: ReportSubjectKind?
    public var limit: Int?
    public var cursor: PageCursor?

    public init(kind: ReportSubjectKind? = nil, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.kind = kind
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["kind": "Only those about such things."])
  }

  public typealias Output = Page<ModerationCase>

  public static let spec = OperationSpec(
    "moderation.listCases", of: .social, .get("/v1/moderation/cases"), by: .administrator, effect: .read, requirements: ["SOC-8"],
    "Lists the undecided cases, the longest waiting first; none about the caller.")
}

/// Reads a case with its reports, and what was decided about the account before (SOC-8).
public enum GetModerationCase: AccountOperation {
  public struct Input: Document {
    public var caseID: ID<ModerationCase>

    public init(caseID: ID<ModerationCase>) { self.caseID = caseID }

    public static let notes: Notes = ["caseID": "The case."]
  }

  public struct Output: Document, Hashable {
    public static let maxReports = 50
    public static let maxDecisions = 20

    public var moderationCase: ModerationCase
    public var reports: [ModerationReport]
    public var earlierDecisions: [ModerationDecision]

    public init(moderationCase: ModerationCase, reports: [ModerationReport], earlierDecisions: [ModerationDecision]) {
      self.moderationCase = moderationCase
      self.reports = reports
      self.earlierDecisions = earlierDecisions
    }

    public static let notes: Notes = [
      "moderationCase": "The case.", "reports": Note("Its reports, newest first.", items: 0...maxReports),
      "earlierDecisions": Note("What was decided about the same account in other cases, newest first.", items: 0...maxDecisions),
    ]
  }

  public static let spec = OperationSpec(
    "moderation.getCase", of: .social, .get("/v1/moderation/cases/{caseID}"), by: .administrator, effect: .read,
    failures: [RequestFailure.notFound.kind, ModerationFailure.aboutOneself.kind], requirements: ["SOC-8"],
    "Returns a case with its reports, unless it is about the caller.")
}

/// Reads the copy of the photo that a report made (SOC-8).
public enum GetReportedPhoto: AccountOperation {
  public struct Input: Document {
    public var reportID: ID<Report>

    public init(reportID: ID<Report>) { self.reportID = reportID }

    public static let notes: Notes = ["reportID": "The report."]
  }

  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "moderation.getPhoto", of: .social, .get("/v1/moderation/reports/{reportID}/photo"), by: .administrator, effect: .read,
    failures: [RequestFailure.notFound.kind, ModerationFailure.aboutOneself.kind],
    raw: .answer(["image/jpeg", "image/png", "image/webp"]), requirements: ["SOC-8"],
    "Returns the reported photo as it was when reported; `not_found` without one.")
}

/// Reads a part of the copy of the file that a report made (SOC-8).
public enum DownloadReportedFileChunk: AccountOperation {
  public struct Input: Document {
    public var reportID: ID<Report>
    public var offset: Int

    public init(reportID: ID<Report>, offset: Int) {
      self.reportID = reportID
      self.offset = offset
    }

    public static let notes: Notes = [
      "reportID": "The report.",
      "offset": Note("The offset in the file at which it begins.", range: 0...Double(1 << 40), example: 524_288),
    ]
  }

  public typealias Output = DownloadTaskAttachmentChunk.Output

  public static let spec = OperationSpec(
    "moderation.downloadFileChunk", of: .social, .get("/v1/moderation/reports/{reportID}/file/chunks/{offset}"),
    by: .administrator, effect: .read, rate: .bulk,
    failures: [RequestFailure.notFound.kind, ModerationFailure.aboutOneself.kind, TaskAttachmentFailure.lost.kind],
    requirements: ["SOC-8"], "Returns a part of the reported file as it was when reported; `not_found` without one.")
}

/// Decides a case, once (SOC-8): the reporters are notified, and the reported account too unless nothing is done.
public enum DecideModerationCase: AccountOperation {
  public struct Input: Document {
    public static let maxDays = 365

    public var caseID: ID<ModerationCase>
    public var outcome: ModerationOutcome
    public var days: Int?
    public var removesContent: Bool?
    public var reason: ReportText?
    public var note: ReportText?

    public init(
      caseID: ID<ModerationCase>, outcome: ModerationOutcome, days: Int? = nil, removesContent: Bool? = nil,
      reason: ReportText? = nil, note: ReportText? = nil
    ) {
      self.caseID = caseID
      self.outcome = outcome
      self.days = days
      self.removesContent = removesContent
      self.reason = reason
      self.note = note
    }

    public static let notes: Notes = [
      "caseID": "The case.", "outcome": "The decision.",
      "days": Note("For a suspension only: its number of days.", range: 1...Double(maxDays), example: 7),
      "removesContent":
        "Whether the reported thing is also removed, with a warning, suspension or ban; anything but an account can be.",
      "reason": "The reason, for the account, in words that name no reporter; required unless nothing is done.",
      "note": "A note for administrators only.",
    ]

    public func check(_ fields: inout FieldChecks) {
      guard fields.areRight("outcome") else { return }
      let notForOutcome = FieldRule("not_for_outcome", ["outcome": .text(outcome.rawValue)])
      if outcome == .suspended {
        fields.expect(days != nil, "days", FieldRule("required"))
      } else {
        fields.expect(days == nil, "days", notForOutcome)
      }
      if outcome == .nothing {
        fields.expect(reason == nil, "reason", notForOutcome)
        fields.expect(removesContent != true, "removesContent", notForOutcome)
      } else {
        fields.expect(reason != nil, "reason", FieldRule("required"))
      }
      if outcome == .removed { fields.expect(removesContent != false, "removesContent", notForOutcome) }
    }
  }

  public typealias Output = ModerationCase

  public static let spec = OperationSpec(
    "moderation.decideCase", of: .social, .post("/v1/moderation/cases/{caseID}/decision"), by: .administrator, effect: .write,
    failures: [
      RequestFailure.notFound.kind, ModerationFailure.decided.kind, ModerationFailure.aboutOneself.kind,
      ModerationFailure.ofOwnReport.kind,
      ModerationFailure.administrator.kind,
    ], requirements: ["SOC-8"], "Decides a case.")
}
