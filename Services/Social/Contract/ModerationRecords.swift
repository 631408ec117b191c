public import Operations

extension FeatureContract {
  static let moderationRecords = FeatureContract(operations: [ListModerationRecords.self])
}

/// What administrators do about reports and suspensions (SOC-8).
public enum ModerationAction: String, Choice {
  /// A case was decided.
  case decided
  case appealGranted
  case appealRefused
  /// A suspension was lifted without an appeal.
  case lifted
}

/// One thing that an administrator did, for all of them to see (SOC-8).
public struct ModerationRecord: Document, Hashable {
  public var id: ID<ModerationRecord>
  public var action: ModerationAction
  public var caseID: ID<ModerationCase>
  public var kind: ReportSubjectKind
  public var accountID: AccountID?
  public var username: Username?
  public var outcome: ModerationOutcome
  public var removesContent: Bool
  public var until: Instant?
  public var note: ReportText?
  public var administratorAccountID: AccountID?
  public var administratorUsername: Username?
  public var at: Instant

  public init(
    id: ID<ModerationRecord>, action: ModerationAction, caseID: ID<ModerationCase>, kind: ReportSubjectKind,
    accountID: AccountID?, username: Username?, outcome: ModerationOutcome, removesContent: Bool, until: Instant?,
    note: ReportText?, administratorAccountID: AccountID?, administratorUsername: Username?, at: Instant
  ) {
    self.id = id
    self.action = action
    self.caseID = caseID
    self.kind = kind
    self.accountID = accountID
    self.username = username
    self.outcome = outcome
    self.removesContent = removesContent
    self.until = until
    self.note = note
    self.administratorAccountID = administratorAccountID
    self.administratorUsername = administratorUsername
    self.at = at
  }

  public static let notes: Notes = [
    "id": "Id of the record.", "action": "The action.", "caseID": "The case; absent if it is one of a deleted account.",
    "kind": "What was reported.", "accountID": "The account; absent if it no longer exists.", "username": "Its username.",
    "outcome": "The decision in the case.", "removesContent": "Whether what was reported was removed.",
    "until": "Until when the account was suspended.", "note": "The administrator's note; absent if it is about the caller.",
    "administratorAccountID": "The administrator; absent if that account no longer exists.",
    "administratorUsername": "Its username.",
    "at": "When it happened.",
  ]
}

/// What administrators did about reports and suspensions, newest first (SOC-8).
public enum ListModerationRecords: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<ModerationRecord>

  public static let spec = OperationSpec(
    "moderation.listRecords", of: .social, .get("/v1/moderation/records"), by: .administrator, effect: .read,
    requirements: ["SOC-8"], "Lists what administrators did about reports and suspensions, newest first.")
}
