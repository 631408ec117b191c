public import Operations

extension FeatureContract {
  static let appeals = FeatureContract(
    operations: [AppealSanction.self, ListAppeals.self, DecideAppeal.self], events: [AppealDecided.self])
}

/// What became of an appeal (SOC-8).
public enum AppealOutcome: String, Choice {
  /// The decision is reversed: a suspension ends, and removed content is restored unless something else has replaced it.
  case granted
  /// The decision stands.
  case refused
}

/// An account's appeal against a decision, for administrators (SOC-8).
public struct Appeal: Document, Hashable {
  public var text: String
  public var at: Instant
  public var outcome: AppealOutcome?
  public var reason: ReportText?
  public var note: ReportText?
  public var administratorAccountID: AccountID?
  public var decidedAt: Instant?

  public init(
    text: String, at: Instant, outcome: AppealOutcome?, reason: ReportText?, note: ReportText?,
    administratorAccountID: AccountID?,
    decidedAt: Instant?
  ) {
    self.text = text
    self.at = at
    self.outcome = outcome
    self.reason = reason
    self.note = note
    self.administratorAccountID = administratorAccountID
    self.decidedAt = decidedAt
  }

  public static let notes: Notes = [
    "text": Note("The account's text.", breaksLines: true), "at": "When the account appealed.",
    "outcome": "The decision; absent until there is one.", "reason": "The reason that the account reads.",
    "note": "A note for administrators only.",
    "administratorAccountID": "The administrator who decided; absent if that account no longer exists.",
    "decidedAt": "When it was decided.",
  ]
}

/// An appeal as the account that made it sees it (SOC-8).
public struct OwnAppeal: Document, Hashable {
  public var text: String
  public var at: Instant
  public var outcome: AppealOutcome?
  public var reason: ReportText?
  public var decidedAt: Instant?

  public init(text: String, at: Instant, outcome: AppealOutcome?, reason: ReportText?, decidedAt: Instant?) {
    self.text = text
    self.at = at
    self.outcome = outcome
    self.reason = reason
    self.decidedAt = decidedAt
  }

  public static let notes: Notes = [
    "text": Note("The caller's text.", breaksLines: true), "at": "When the caller appealed.",
    "outcome": "The decision; absent until there is one.", "reason": "The reason.", "decidedAt": "When it was decided.",
  ]
}

/// Why there is no appeal, or why it is not decided (SOC-8).
public enum AppealFailure: String, FailureCode {
  case alreadyAppealed = "already_appealed"
  case tooLate = "appeal_too_late"
  case decided = "appeal_decided"
  /// Somebody else than who decided is to look at it, and there is somebody.
  case ofOwnDecision = "appeal_of_own_decision"

  public var status: Int { 409 }
}

/// Appeals against a decision (SOC-8): once, within 180 days. A suspended account does by the link that it is sent.
public enum AppealSanction: AccountOperation {
  public struct Input: Document {
    public var caseID: ID<ModerationCase>
    public var text: ChatText

    public init(caseID: ID<ModerationCase>, text: ChatText) {
      self.caseID = caseID
      self.text = text
    }

    public static let notes: Notes = [
      "caseID": "The case that was decided.",
      "text": "The reasons against the decision: 1 to 2,000 characters, line breaks allowed.",
    ]
  }

  public typealias Output = Sanction

  public static let spec = OperationSpec(
    "sanctions.appeal", of: .social, .post("/v1/sanctions/{caseID}/appeal"), by: .account, effect: .create,
    failures: [RequestFailure.notFound.kind, AppealFailure.alreadyAppealed.kind, AppealFailure.tooLate.kind],
    requirements: ["SOC-8"], "Appeals a decision of moderators against the caller; possible once.")
}

/// The cases with open appeals, the longest waiting first (SOC-8).
public enum ListAppeals: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<ModerationCase>

  public static let spec = OperationSpec(
    "moderation.listAppeals", of: .social, .get("/v1/moderation/appeals"), by: .administrator, effect: .read,
    requirements: ["SOC-8"], "Lists the cases with undecided appeals, the longest waiting first; none about the caller.")
}

/// Decides an appeal (SOC-8): by an administrator who neither decided nor reported the case, where there is one.
public enum DecideAppeal: AccountOperation {
  public struct Input: Document {
    public var caseID: ID<ModerationCase>
    public var outcome: AppealOutcome
    public var reason: ReportText
    public var note: ReportText?

    public init(caseID: ID<ModerationCase>, outcome: AppealOutcome, reason: ReportText, note: ReportText? = nil) {
      self.caseID = caseID
      self.outcome = outcome
      self.reason = reason
      self.note = note
    }

    public static let notes: Notes = [
      "caseID": "The case.", "outcome": "The decision about the appeal.", "reason": "The reason, for the account.",
      "note": "A note for administrators only.",
    ]
  }

  public typealias Output = ModerationCase

  public static let spec = OperationSpec(
    "moderation.decideAppeal", of: .social, .post("/v1/moderation/cases/{caseID}/appeal/decision"), by: .administrator,
    effect: .write,
    failures: [
      RequestFailure.notFound.kind, AppealFailure.decided.kind, AppealFailure.ofOwnDecision.kind,
      ModerationFailure.aboutOneself.kind, ModerationFailure.ofOwnReport.kind,
    ], requirements: ["SOC-8"],
    """
    Decides an appeal; where there is another administrator, not one against the caller's own decision or about what the caller \
    reported.
    """)
}

// MARK: - Events

/// An account's appeal was decided, which it is to know (SOC-8).
public struct AppealDecided: Event, Hashable {
  public var caseID: ID<ModerationCase>
  public var accountID: AccountID
  public var outcome: AppealOutcome
  public var reason: ReportText
  public var at: Instant

  public init(caseID: ID<ModerationCase>, accountID: AccountID, outcome: AppealOutcome, reason: ReportText, at: Instant) {
    self.caseID = caseID
    self.accountID = accountID
    self.outcome = outcome
    self.reason = reason
    self.at = at
  }

  public static let notes: Notes = [
    "caseID": "The decision that was appealed.", "accountID": "The account that appealed.",
    "outcome": "The decision about the appeal.",
    "reason": "The reason.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "appeals.decided", by: .social, requirements: ["SOC-8"], "An account's appeal was decided.")
}
