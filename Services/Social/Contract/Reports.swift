public import ActivityContract
public import Operations

extension FeatureContract {
  static let reports = FeatureContract(
    operations: [CreateReport.self, ListOwnReports.self],
    events: [ReportDecided.self, PhotoRemovalDecided.self, PhotoRestorationDecided.self, EntryRemovalChanged.self])
}

/// The kinds of content that can be reported (SOC-8). More may be added: the handler of reports asks the service that owns the content.
public enum ReportSubjectKind: String, Choice {
  /// An account as others see it: its names and photo.
  case account
  /// An account's photo.
  case photo
  /// A message, by the one it was written to.
  case message
  /// A task's name and description, reported by a participant.
  case task
  /// The title and description of a part of a task, reported by a participant of the task.
  case taskPart
  /// A recurring task's name and description, reported by a participant.
  case taskSeries
  /// A comment on a task, reported by a participant.
  case taskComment
  /// A file attached to a task, reported by a participant.
  case taskAttachment
  /// An account's text about a day of an activity, with its photo, reported by a follower.
  case entry
  /// The photo of a day of an activity, reported by a follower.
  case entryPhoto
  /// The name of a team, by anybody; its owner answers for it.
  case team
  /// The public page of a completed task, reported by anybody who has its link; the link's owner is responsible for it.
  case taskLink
}

/// What is reported: of each kind it has the id that fits (SOC-8).
public struct ReportSubject: Document, Hashable {
  public var kind: ReportSubjectKind
  public var accountID: AccountID?
  public var messageID: ID<ChatMessage>?
  public var taskID: ID<SharedTask>?
  public var taskCommentID: ID<TaskComment>?
  public var taskAttachmentID: ID<TaskAttachment>?
  public var activityID: ActivityID?
  public var day: LocalDay?
  public var teamID: ID<Team>?
  public var taskLinkID: ID<TaskLink>?
  public var taskPartID: ID<TaskPart>?
  public var taskSeriesID: ID<TaskSeries>?

  public init(
    kind: ReportSubjectKind, accountID: AccountID? = nil, messageID: ID<ChatMessage>? = nil, taskID: ID<SharedTask>? = nil,
    taskCommentID: ID<TaskComment>? = nil, taskAttachmentID: ID<TaskAttachment>? = nil, activityID: ActivityID? = nil,
    day: LocalDay? = nil, teamID: ID<Team>? = nil, taskLinkID: ID<TaskLink>? = nil, taskPartID: ID<TaskPart>? = nil,
    taskSeriesID: ID<TaskSeries>? = nil
  ) {
    self.kind = kind
    self.accountID = accountID
    self.messageID = messageID
    self.taskID = taskID
    self.taskCommentID = taskCommentID
    self.taskAttachmentID = taskAttachmentID
    self.activityID = activityID
    self.day = day
    self.teamID = teamID
    self.taskLinkID = taskLinkID
    self.taskPartID = taskPartID
    self.taskSeriesID = taskSeriesID
  }

  /// An account, as others see it.
  public static func account(_ id: AccountID) -> ReportSubject { ReportSubject(kind: .account, accountID: id) }
  /// The photo of an account.
  public static func photo(of id: AccountID) -> ReportSubject { ReportSubject(kind: .photo, accountID: id) }
  /// A message.
  public static func message(_ id: ID<ChatMessage>) -> ReportSubject { ReportSubject(kind: .message, messageID: id) }
  /// A task.
  public static func task(_ id: ID<SharedTask>) -> ReportSubject { ReportSubject(kind: .task, taskID: id) }
  /// A part of a task.
  public static func taskPart(_ id: ID<TaskPart>) -> ReportSubject { ReportSubject(kind: .taskPart, taskPartID: id) }
  /// A recurring task.
  public static func taskSeries(_ id: ID<TaskSeries>) -> ReportSubject { ReportSubject(kind: .taskSeries, taskSeriesID: id) }
  /// A comment on a task.
  public static func taskComment(_ id: ID<TaskComment>) -> ReportSubject { ReportSubject(kind: .taskComment, taskCommentID: id) }
  /// A file that is attached to a task.
  public static func taskAttachment(_ id: ID<TaskAttachment>) -> ReportSubject {
    ReportSubject(kind: .taskAttachment, taskAttachmentID: id)
  }
  /// The entry of a day of an activity.
  public static func entry(_ activity: ActivityID, _ day: LocalDay) -> ReportSubject {
    ReportSubject(kind: .entry, activityID: activity, day: day)
  }
  /// The photo of the entry of a day of an activity.
  public static func entryPhoto(_ activity: ActivityID, _ day: LocalDay) -> ReportSubject {
    ReportSubject(kind: .entryPhoto, activityID: activity, day: day)
  }
  /// The name of a team.
  public static func team(_ id: ID<Team>) -> ReportSubject { ReportSubject(kind: .team, teamID: id) }
  /// The public page of a completed task.
  public static func taskLink(_ id: ID<TaskLink>) -> ReportSubject { ReportSubject(kind: .taskLink, taskLinkID: id) }

  public static let notes: Notes = [
    "kind": "The kind of thing.", "accountID": "For an account or its photo: the account.",
    "messageID": "For a message: its id.", "taskID": "For a task: its id.",
    "taskCommentID": "For a comment on a task: its id.", "taskAttachmentID": "For a file attached to a task: its id.",
    "activityID": "For an entry or its photo: the entry's activity.",
    "day": "For an entry or its photo: the entry's day.", "teamID": "For a team: its id.",
    "taskLinkID": "For a public link to a task: the link's id, as on its page.",
    "taskPartID": "For a part of a task: its id.", "taskSeriesID": "For a recurring task: its id.",
  ]

  public func check(_ fields: inout FieldChecks) {
    guard fields.areRight("kind") else { return }
    let given = [
      "accountID": accountID != nil, "messageID": messageID != nil, "taskID": taskID != nil,
      "taskCommentID": taskCommentID != nil, "taskAttachmentID": taskAttachmentID != nil, "activityID": activityID != nil,
      "day": day != nil, "teamID": teamID != nil, "taskLinkID": taskLinkID != nil, "taskPartID": taskPartID != nil,
      "taskSeriesID": taskSeriesID != nil,
    ]
    let wanted =
      switch kind {
      case .account, .photo: ["accountID"]
      case .message: ["messageID"]
      case .task: ["taskID"]
      case .taskPart: ["taskPartID"]
      case .taskSeries: ["taskSeriesID"]
      case .taskComment: ["taskCommentID"]
      case .taskAttachment: ["taskAttachmentID"]
      case .entry, .entryPhoto: ["activityID", "day"]
      case .team: ["teamID"]
      case .taskLink: ["taskLinkID"]
      }
    for (field, isGiven) in given.sorted(by: { $0.key < $1.key }) {
      if wanted.contains(field) {
        fields.expect(isGiven, field, FieldRule("required"))
      } else {
        fields.expect(!isGiven, field, FieldRule("not_for_subject"))
      }
    }
  }
}

/// The reason for a report (SOC-8).
public enum ReportReason: String, Choice {
  case harassment, hate, sexual, violence, selfHarm, spam, impersonation
  /// Said in words.
  case other
}

/// What people write to moderators and moderators write to them: 1 to 500 characters as people count them, not only white space, line
/// breaks allowed, at most 8,000 bytes (SOC-8).
public struct ReportText: TextValue {
  public static let maxCharacters = 500
  static let maxBytes = maxCharacters * ShortText.maxBytesPerCharacter

  public let description: String

  public init(text: String) throws(FieldRule) {
    try LongText.check(text, maxCharacters: Self.maxCharacters, maxBytes: Self.maxBytes)
    description = text
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = ReportText(trusted: "…")

  public static let schema = LongText.schema(maxBytes: maxBytes, example: "Insults me again and again.")
}

/// What an account has reported, as it sees that itself (SOC-8).
public struct Report: Document, Hashable {
  public var id: ID<Report>
  public var subject: ReportSubject
  public var accountID: AccountID?
  public var username: Username?
  public var nickname: String?
  public var reason: ReportReason
  public var text: ReportText?
  public var sentAt: Instant
  public var outcome: ModerationOutcome?
  public var decidedAt: Instant?

  public init(
    id: ID<Report>, subject: ReportSubject, accountID: AccountID?, username: Username?, nickname: String?, reason: ReportReason,
    text: ReportText?, sentAt: Instant, outcome: ModerationOutcome?, decidedAt: Instant?
  ) {
    self.id = id
    self.subject = subject
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.reason = reason
    self.text = text
    self.sentAt = sentAt
    self.outcome = outcome
    self.decidedAt = decidedAt
  }

  public static let notes: Notes = [
    "id": "Id of the report.", "subject": "What was reported.",
    "accountID": "The account that it belongs to; absent for a team and a public link.",
    "username": "Its username, if it is shown to the caller.",
    "nickname": "Its nickname, if it has one that is shown to the caller.",
    "reason": "What is wrong with it.", "text": "The caller's text about it.",
    "sentAt": "When the caller reported it.", "outcome": "The moderators' decision; absent until there is one.",
    "decidedAt": "When they decided.",
  ]
}

/// Why nothing is reported (SOC-8).
public enum ReportFailure: String, FailureCode {
  case ofOneself = "report_of_oneself"
  /// The same account has reported it, and moderators have not decided yet.
  case alreadyReported = "already_reported"
  /// As many as one account may send in a day.
  case tooMany = "too_many_reports"
  /// The copies that are kept of what one account reported are as many bytes as they may be.
  case tooManyBytes = "too_many_report_bytes"

  public var status: Int {
    switch self {
    case .ofOneself: 422
    case .alreadyReported, .tooManyBytes: 409
    case .tooMany: 429
    }
  }
}

/// Reports content of another account that the caller can see to the moderators (SOC-8). The server itself copies what is reported; its
/// owner never learns who reported it.
public enum CreateReport: AccountOperation {
  public struct Input: Document {
    public var subject: ReportSubject
    public var reason: ReportReason
    public var text: ReportText?

    public init(subject: ReportSubject, reason: ReportReason, text: ReportText? = nil) {
      self.subject = subject
      self.reason = reason
      self.text = text
    }

    public static let notes: Notes = [
      "subject": "What is reported.", "reason": "What is wrong with it.",
      "text": "The same in words, at most 500 characters; required if the reason is `other`.",
    ]

    public func check(_ fields: inout FieldChecks) {
      if fields.areRight("reason") { fields.expect(reason != .other || text != nil, "text", FieldRule("required")) }
    }
  }

  public typealias Output = Report

  public static let spec = OperationSpec(
    "reports.create", of: .social, .post("/v1/reports"), by: .account, effect: .create,
    failures: [RequestFailure.notFound.kind] + ReportFailure.allCases.map(\.kind), requirements: ["SOC-8"],
    """
    Reports something of another account that the caller can see, such as its photo or a message to the caller; at most 20 \
    reports a day.
    """)
}

/// What an account has reported, newest first, with what became of it (SOC-8).
public enum ListOwnReports: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Report>

  public static let spec = OperationSpec(
    "reports.list", of: .social, .get("/v1/reports"), by: .account, effect: .read, requirements: ["SOC-8"],
    "Lists what the caller has reported, newest first, and what was decided.")
}

// MARK: - Events

/// What an account reported was decided; that account is to know (SOC-8). There is an event for each who reported it.
public struct ReportDecided: Event, Hashable {
  public var reportID: ID<Report>
  public var accountID: AccountID
  public var kind: ReportSubjectKind
  public var outcome: ModerationOutcome
  public var at: Instant

  public init(reportID: ID<Report>, accountID: AccountID, kind: ReportSubjectKind, outcome: ModerationOutcome, at: Instant) {
    self.reportID = reportID
    self.accountID = accountID
    self.kind = kind
    self.outcome = outcome
    self.at = at
  }

  public static let notes: Notes = [
    "reportID": "The report.", "accountID": "The account that reported.", "kind": "What was reported.",
    "outcome": "The decision.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "reports.decided", by: .social, requirements: ["SOC-8"], "A report of an account was decided.")
}

/// Moderators removed a photo of an account: the service that keeps photos deletes the one with that tag (SOC-8).
public struct PhotoRemovalDecided: Event, Hashable {
  public var accountID: AccountID
  public var photoTag: String
  public var at: Instant

  public init(accountID: AccountID, photoTag: String, at: Instant) {
    self.accountID = accountID
    self.photoTag = photoTag
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account whose photo it is.",
    "photoTag": "Identifies the photo's bytes: another photo of the account stays.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "photos.removalDecided", by: .social, requirements: ["SOC-8"], "Moderators removed a photo of an account.")
}

/// A granted appeal restores a photo that moderators had removed: the service that keeps photos puts it back where the account has no other
/// one (SOC-8).
public struct PhotoRestorationDecided: Event, Hashable {
  public var accountID: AccountID
  public var photo: MediaFile
  public var at: Instant

  public init(accountID: AccountID, photo: MediaFile, at: Instant) {
    self.accountID = accountID
    self.photo = photo
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account whose photo it is.", "photo": "The photo as it was when it was reported.",
    "at": "When the appeal was granted.",
  ]

  public static let spec = EventSpec(
    "photos.restorationDecided", by: .social, requirements: ["SOC-8"],
    "A granted appeal restores a photo that moderators had removed.")
}

/// Moderators removed an account's text or photo for a day of an activity, or a granted appeal restores it: activity carries it out
/// (SOC-8). Where several versions were reported, the current one is removed; each restored photo has an event of its own.
public struct EntryRemovalChanged: Event, Hashable {
  public var accountID: AccountID
  public var activityID: ActivityID
  public var day: LocalDay
  public var isRemoved: Bool
  public var comment: String?
  public var earlierComments: [String]?
  public var photoTags: [String]
  public var photo: MediaFile?
  public var at: Instant
  public var removedAt: Instant?

  public init(
    accountID: AccountID, activityID: ActivityID, day: LocalDay, isRemoved: Bool, comment: String?,
    earlierComments: [String]? = nil, photoTags: [String], photo: MediaFile? = nil, at: Instant, removedAt: Instant? = nil
  ) {
    self.accountID = accountID
    self.activityID = activityID
    self.day = day
    self.isRemoved = isRemoved
    self.comment = comment
    self.earlierComments = earlierComments
    self.photoTags = photoTags
    self.photo = photo
    self.at = at
    self.removedAt = removedAt
  }

  /// The versions of the comment that were reported, the last one first.
  public var comments: [String] { [comment].compactMap { $0 } + (earlierComments ?? []) }

  public static let notes: Notes = [
    "accountID": "The account whose entry it is.", "activityID": "The activity.", "day": "The day.",
    "isRemoved": "Whether it is removed; otherwise what the removal at `removedAt` took away is restored.",
    "comment": Note(
      "The comment that was reported last; a different comment stays. Absent if none was.", breaksLines: true),
    "earlierComments": Note(
      "Other versions of it that were reported, the last one first; absent if there are none.", items: 1...100),
    "photo": "If it is restored: a photo that was reported, to be put back if it was removed.",
    "photoTags": Note("Identifies the bytes of each photo that was reported: another photo of the entry stays.", items: 0...1000),
    "at": "When it was decided; what was written later stays.", "removedAt": "If it is restored: when it was removed.",
  ]

  public static let spec = EventSpec(
    "entries.removalChanged", by: .social, requirements: ["SOC-8"],
    "Moderators removed the comment or photo of an entry, or restored them.")
}
