public import Operations

extension FeatureContract {
  static let sanctions = FeatureContract(
    operations: [ListOwnSanctions.self, GetSanctionNotice.self], events: [SanctionImposed.self])
}

/// How a suspension ended (SOC-8).
public enum SuspensionEnd: String, Choice {
  /// Its time was over.
  case over
  /// A moderator lifted it.
  case lifted
  /// An appeal against it was granted.
  case appealGranted
}

/// What moderators decided against an account, as that account sees it: never who reported (SOC-8).
public struct Sanction: Document, Hashable {
  public var caseID: ID<ModerationCase>
  public var subject: ReportSubject
  public var content: ReportedContent?
  public var outcome: ModerationOutcome
  public var isContentRemoved: Bool
  public var reason: ReportText
  public var at: Instant
  public var until: Instant?
  public var end: SuspensionEnd?
  public var endedAt: Instant?
  public var canAppeal: Bool
  public var appeal: OwnAppeal?

  public init(
    caseID: ID<ModerationCase>, subject: ReportSubject, content: ReportedContent?, outcome: ModerationOutcome,
    isContentRemoved: Bool, reason: ReportText, at: Instant, until: Instant?, end: SuspensionEnd? = nil,
    endedAt: Instant? = nil, canAppeal: Bool, appeal: OwnAppeal?
  ) {
    self.caseID = caseID
    self.subject = subject
    self.content = content
    self.outcome = outcome
    self.isContentRemoved = isContentRemoved
    self.reason = reason
    self.at = at
    self.until = until
    self.end = end
    self.endedAt = endedAt
    self.canAppeal = canAppeal
    self.appeal = appeal
  }

  public static let notes: Notes = [
    "caseID": "Id of the decision.", "subject": "The thing of the caller that it is about.",
    "content": "A copy of the thing as it was then; absent if it is no longer kept.", "outcome": "The decision.",
    "isContentRemoved": "Whether it was removed.", "reason": "The reason.", "at": "When it happened.",
    "until": "Until when the caller is or was suspended.",
    "end":
      "How the suspension ended: its time was over, a moderator lifted it, or the caller's appeal was granted; absent while it lasts.",
    "endedAt": "When it ended.", "canAppeal": "Whether the caller can still appeal: once, within 180 days.",
    "appeal": "The caller's appeal, if there is one.",
  ]
}

/// Decisions against an account, newest first (SOC-8).
public enum ListOwnSanctions: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Sanction>

  public static let spec = OperationSpec(
    "sanctions.list", of: .social, .get("/v1/sanctions"), by: .account, effect: .read, requirements: ["SOC-8"],
    "Lists what moderators decided against the caller, newest first, and why.")
}

/// The content of a mail to an account about a decision against it (SOC-8).
public struct SanctionNotice: Document, Hashable {
  public var accountID: AccountID
  public var reason: ReportText
  public var until: Instant?
  public var appealReason: ReportText?

  public init(accountID: AccountID, reason: ReportText, until: Instant?, appealReason: ReportText?) {
    self.accountID = accountID
    self.reason = reason
    self.until = until
    self.appealReason = appealReason
  }

  public static let notes: Notes = [
    "accountID": "The account that it was imposed on.", "reason": "The reason for the decision.",
    "until": "Until when the account is suspended.",
    "appealReason": "The answer to the appeal.",
  ]
}

/// Gives the notifications service the current data for the mail about a decision (SOC-8).
public enum GetSanctionNotice: OpenOperation {
  public struct Input: Document, Hashable {
    public var caseID: ID<ModerationCase>

    public init(caseID: ID<ModerationCase>) { self.caseID = caseID }

    public static let notes: Notes = ["caseID": "The decision, as the event named it."]
  }

  public typealias Output = SanctionNotice

  public static let spec = OperationSpec(
    "sanctions.getNotice", of: .social, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-8", "NOT-6"],
    "Returns the content of a mail to an account about a decision against it.")
}

// MARK: - Events

/// Moderators decided against an account, which is to know (SOC-8).
public struct SanctionImposed: Event, Hashable {
  public var caseID: ID<ModerationCase>
  public var accountID: AccountID
  public var kind: ReportSubjectKind
  public var outcome: ModerationOutcome
  public var isContentRemoved: Bool
  public var reason: ReportText
  public var until: Instant?
  public var at: Instant

  public init(
    caseID: ID<ModerationCase>, accountID: AccountID, kind: ReportSubjectKind, outcome: ModerationOutcome, isContentRemoved: Bool,
    reason: ReportText, until: Instant?, at: Instant
  ) {
    self.caseID = caseID
    self.accountID = accountID
    self.kind = kind
    self.outcome = outcome
    self.isContentRemoved = isContentRemoved
    self.reason = reason
    self.until = until
    self.at = at
  }

  public static let notes: Notes = [
    "caseID": "The case that was decided.", "accountID": "The account that it is against.", "kind": "What it is about.",
    "outcome": "The decision.",
    "isContentRemoved": "Whether the thing that it is about was removed.", "reason": "The reason.",
    "until": "Until when it is suspended.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "sanctions.imposed", by: .social, requirements: ["SOC-8"], "Moderators decided against an account.")
}
