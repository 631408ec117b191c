public import Operations

extension FeatureContract {
  static let suspensions = FeatureContract(
    operations: [ListSuspensions.self, LiftSuspension.self], events: [SuspensionChanged.self])
}

/// Marks ids of suspensions.
public enum SuspensionMark {}
/// One suspension of an account.
public typealias SuspensionID = ID<SuspensionMark>

/// A suspension that runs, for administrators (SOC-8).
public struct Suspension: Document, Hashable {
  public var id: SuspensionID
  public var caseID: ID<ModerationCase>
  public var accountID: AccountID
  public var username: Username?
  public var nickname: String?
  public var photoURL: PhotoURL?
  public var since: Instant
  public var until: Instant
  public var reason: String

  public init(
    id: SuspensionID, caseID: ID<ModerationCase>, accountID: AccountID, username: Username?, nickname: String?,
    photoURL: PhotoURL?, since: Instant, until: Instant, reason: String
  ) {
    self.id = id
    self.caseID = caseID
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.since = since
    self.until = until
    self.reason = reason
  }

  public static let notes: Notes = [
    "id": "Id of the suspension.", "caseID": "The case in which it was decided.", "accountID": "The account.",
    "username": "Its username.", "nickname": "Its nickname, if it has one.", "photoURL": "Its photo, if it has one.",
    "since": "When it began.", "until": "Until when it lasts; the last possible instant for a ban.",
    "reason": Note("The reason that the account reads.", breaksLines: true),
  ]
}

/// The suspensions that run, newest first (SOC-8).
public enum ListSuspensions: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Suspension>

  public static let spec = OperationSpec(
    "moderation.listSuspensions", of: .social, .get("/v1/moderation/suspensions"), by: .administrator, effect: .read,
    requirements: ["SOC-8"], "Lists the active suspensions and bans, newest first.")
}

/// Ends a suspension before its time (SOC-8).
public enum LiftSuspension: AccountOperation {
  public struct Input: Document {
    public var suspensionID: SuspensionID
    public var note: ReportText

    public init(suspensionID: SuspensionID, note: ReportText) {
      self.suspensionID = suspensionID
      self.note = note
    }

    public static let notes: Notes = ["suspensionID": "The suspension.", "note": "A note for administrators only."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "moderation.liftSuspension", of: .social, .post("/v1/moderation/suspensions/{suspensionID}/lift"), by: .administrator,
    effect: .write,
    failures: [
      RequestFailure.notFound.kind, ModerationFailure.suspensionEnded.kind, ModerationFailure.aboutOneself.kind,
    ], requirements: ["SOC-8"], "Ends a suspension or a ban early.")
}

// MARK: - Events

/// Moderators suspended an account, or changed or ended a suspension (SOC-8): its whole current state.
///
/// A subscriber keeps the event with the highest ``revision`` of an account and ignores older ones.
public struct SuspensionChanged: Event, Hashable {
  public var suspensionID: SuspensionID
  public var accountID: AccountID
  /// Nil if the suspension was lifted; ``Instant/endOfTime`` for a banned account.
  public var until: Instant?
  public var reason: String
  public var canAppeal: Bool
  public var revision: Int
  public var at: Instant

  public init(
    suspensionID: SuspensionID, accountID: AccountID, until: Instant?, reason: String, canAppeal: Bool, revision: Int, at: Instant
  ) {
    self.suspensionID = suspensionID
    self.accountID = accountID
    self.until = until
    self.reason = reason
    self.canAppeal = canAppeal
    self.revision = revision
    self.at = at
  }

  public static let notes: Notes = [
    "suspensionID": "The suspension.", "accountID": "The account.", "until": "Until when it lasts; absent if it was lifted.",
    "reason": Note("What the account did, in the moderator's words.", length: 1...500, breaksLines: true),
    "canAppeal": "Whether it can still be appealed.",
    "revision": "Grows with each change of the account's suspensions; the highest is the newest.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "suspensions.changed", by: .social, requirements: ["SOC-8"],
    "Moderators suspended an account, or changed or ended its suspension.")
}
