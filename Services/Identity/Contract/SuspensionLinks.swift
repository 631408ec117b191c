public import Operations

extension FeatureContract {
  static let suspensionLinks = FeatureContract(
    operations: [GetSuspension.self, AppealSuspension.self, DeleteSuspendedAccount.self, GetSuspensionSecret.self],
    events: [SuspensionLinkRequested.self])
}

/// Marks ids of mailed links about a suspension.
public enum SuspensionLinkMark {}
/// One mailed link by which the owner of a suspended account reads why, appeals and deletes the account.
public typealias SuspensionLinkID = ID<SuspensionLinkMark>

/// Why a link about a suspension does nothing (SOC-8).
public enum SuspensionLinkFailure: String, FailureCode {
  /// No such link was ever sent, it is damaged, or the account has another address since.
  case linkInvalid = "suspension_link_invalid"
  /// More than 7 days old.
  case linkExpired = "suspension_link_expired"
  /// The account is not suspended any more.
  case over = "suspension_over"

  public var status: Int {
    switch self {
    case .linkInvalid: 404
    case .over: 409
    case .linkExpired: 410
    }
  }
}

/// Why a suspension cannot be appealed (SOC-8).
public enum SuspensionAppealFailure: String, FailureCode {
  /// It was appealed before; that is possible once.
  case appealed = "suspension_appealed"
  /// The decision is final.
  case notAppealable = "suspension_final"

  public var status: Int {
    switch self {
    case .appealed: 409
    case .notAppealable: 403
    }
  }
}

/// What the owner of a suspended account writes in an appeal: 1 to 2,000 characters as people count them, not only white space, line breaks
/// allowed, at most 16 KiB.
public struct SuspensionAppealText: TextValue {
  public static let maxCharacters = 2000
  /// A character can be made of any number of code points; this bounds what an appeal weighs.
  public static let maxBytes = 16_384

  public let description: String

  public init(text: String) throws(FieldRule) {
    try LongText.check(text, maxCharacters: Self.maxCharacters, maxBytes: Self.maxBytes)
    description = text
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = SuspensionAppealText(trusted: "…")

  public static let schema = LongText.schema(maxBytes: maxBytes, example: "The photo was of my own garden.")
}

/// A suspension as the owner of the account sees it (SOC-8).
public struct SuspensionDetails: Document, Hashable {
  public var username: Username
  public var isBanned: Bool
  public var until: Instant?
  public var reason: String
  public var canAppeal: Bool
  public var appealedAt: Instant?

  public init(
    username: Username, isBanned: Bool, until: Instant?, reason: String, canAppeal: Bool, appealedAt: Instant?
  ) {
    self.username = username
    self.isBanned = isBanned
    self.until = until
    self.reason = reason
    self.canAppeal = canAppeal
    self.appealedAt = appealedAt
  }

  public static let notes: Notes = [
    "username": "The account's username.", "isBanned": "Whether the account is suspended permanently.",
    "until": "Until when it is suspended; absent for a ban.",
    "reason": Note(
      "The reason, in the words of the moderator.", breaksLines: true, example: "Insults in messages, after a warning."),
    "canAppeal": "Whether an appeal is possible: the decision is not final, and has not been appealed before.",
    "appealedAt": "When it was appealed; absent without an appeal.",
  ]
}

/// Reads why and until when an account is suspended, by the token of the mailed link, which works for 7 days (SOC-8). By POST, so that the
/// token is in no URL; guesses at tokens are recorded.
public enum GetSuspension: OpenOperation {
  public struct Input: Document, Hashable {
    public var token: String

    public init(token: String) { self.token = token }

    public static let notes: Notes = ["token": Note("The mailed link's token.", length: 1...200)]
  }

  public typealias Output = SuspensionDetails

  public static let spec = OperationSpec(
    "suspensions.get", of: .identity, .post("/v1/suspensions/read"), by: .anyone, effect: .write, rate: .sensitive,
    failures: SuspensionLinkFailure.allCases.map(\.kind), requirements: ["SOC-8"],
    "Returns why and until when an account is suspended, by the mailed link's token.")
}

/// Appeals a suspension by the token of the mailed link: once (SOC-8).
public enum AppealSuspension: OpenOperation {
  public struct Input: Document, Hashable {
    public var token: String
    public var text: SuspensionAppealText

    public init(token: String, text: SuspensionAppealText) {
      self.token = token
      self.text = text
    }

    public static let notes: Notes = [
      "token": Note("The mailed link's token.", length: 1...200), "text": "The reasons for another decision.",
    ]
  }

  public typealias Output = SuspensionDetails

  public static let spec = OperationSpec(
    "suspensions.appeal", of: .identity, .post("/v1/suspensions/appeal"), by: .anyone, effect: .write, rate: .sensitive,
    failures: SuspensionLinkFailure.allCases.map(\.kind) + SuspensionAppealFailure.allCases.map(\.kind), requirements: ["SOC-8"],
    "Appeals a suspension, by the mailed link's token.")
}

/// Deletes a suspended account by the token of the mailed link, which only its owner has (SOC-8, ID-12); compare ``DeleteAccount``.
public enum DeleteSuspendedAccount: OpenOperation {
  public typealias Input = GetSuspension.Input
  public typealias Output = DeleteAccount.Output

  public static let spec = OperationSpec(
    "suspensions.deleteAccount", of: .identity, .post("/v1/suspensions/account-deletion"), by: .anyone, effect: .write,
    rate: .sensitive, failures: SuspensionLinkFailure.allCases.map(\.kind) + [AdministratorFailure.last.kind],
    requirements: ["SOC-8", "ID-12"], "Deletes a suspended account and all its data, by the mailed link's token.")
}

/// A mail with a link about a suspension is to be sent. The link's secret is not in it: see ``GetSuspensionSecret``.
public struct SuspensionLinkRequested: Event, Hashable {
  public var linkID: SuspensionLinkID
  public var accountID: AccountID

  public init(linkID: SuspensionLinkID, accountID: AccountID) {
    self.linkID = linkID
    self.accountID = accountID
  }

  public static let notes: Notes = ["linkID": "Id of the link.", "accountID": "The suspended account."]

  public static let spec = EventSpec(
    "suspensionLinks.requested", by: .identity, requirements: ["SOC-8"],
    "The owner of a suspended account has proved to be the owner; a mail with a link is to be sent.")
}

/// Gives the notifications service the current data for the mail about a suspension; compare ``GetVerificationSecret``.
public enum GetSuspensionSecret: OpenOperation {
  public struct Input: Document, Hashable {
    public var linkID: SuspensionLinkID

    public init(linkID: SuspensionLinkID) { self.linkID = linkID }

    public static let notes: Notes = ["linkID": "The link, as the event named it."]
  }

  public struct Output: Document, Hashable {
    public var token: String
    public var email: EmailAddress
    public var username: Username
    public var language: Language
    public var suspendedUntil: Instant?
    public var expiresAt: Instant

    public init(
      token: String, email: EmailAddress, username: Username, language: Language, suspendedUntil: Instant?, expiresAt: Instant
    ) {
      self.token = token
      self.email = email
      self.username = username
      self.language = language
      self.suspendedUntil = suspendedUntil
      self.expiresAt = expiresAt
    }

    public static let notes: Notes = [
      "token": "The link's token. Never log or store it.", "email": "The address to send it to.",
      "username": "The name for the salutation.",
      "language": "The language of the mail.", "suspendedUntil": "Until when the account is suspended; absent for a ban.",
      "expiresAt": "Until when the link works.",
    ]
  }

  public static let spec = OperationSpec(
    "suspensionLinks.getSecret", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-8", "NOT-6"],
    "Returns the token and addressee of a mail about a suspension; `not_found` for a link that no longer works.")
}
