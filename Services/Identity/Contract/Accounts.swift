public import Operations

extension FeatureContract {
  static let accounts = FeatureContract(operations: [GetOwnAccount.self, LookUpAccount.self], events: [AccountChanged.self])
}

/// The signed-in account as its owner sees it.
public struct OwnAccount: Document, Hashable {
  public var id: AccountID
  public var email: EmailAddress
  public var username: Username
  public var name: PersonName?
  public var age: Int?
  public var nickname: Nickname?
  public var timeZone: TimeZoneName
  public var dayStartHour: Int
  public var language: Language
  public var isVerified: Bool
  public var isAdministrator: Bool
  public var createdAt: Instant
  public var photoTag: String?

  public init(
    id: AccountID, email: EmailAddress, username: Username, name: PersonName?, age: Int?, nickname: Nickname?,
    timeZone: TimeZoneName,
    dayStartHour: Int, language: Language, isVerified: Bool, isAdministrator: Bool, createdAt: Instant, photoTag: String? = nil
  ) {
    self.id = id
    self.email = email
    self.username = username
    self.name = name
    self.age = age
    self.nickname = nickname
    self.timeZone = timeZone
    self.dayStartHour = dayStartHour
    self.language = language
    self.isVerified = isVerified
    self.isAdministrator = isAdministrator
    self.createdAt = createdAt
    self.photoTag = photoTag
  }

  public static let notes: Notes = [
    "id": "The account's id.", "email": "Its e-mail address.", "username": "Its unique name, in lower case.",
    "name": "The person's name.", "age": Note("The person's age in years.", example: 34), "nickname": "Its display name.",
    "timeZone": "The IANA time zone of its days.",
    "dayStartHour": Note("The hour of the night at which its day starts.", range: 0...6, example: 0),
    "language": "Language of its messages.", "isVerified": "Whether the e-mail address is verified.",
    "isAdministrator": "Whether it administers the system.", "createdAt": "When it was registered.",
    "photoTag": "Identifies its photo, which `photos.getMine` returns; absent without one.",
  ]
}

/// Reads the signed-in account.
public enum GetOwnAccount: AccountOperation {
  public typealias Input = Empty
  public typealias Output = OwnAccount

  public static let spec = OperationSpec(
    "accounts.getMe", of: .identity, .get("/v1/accounts/me"), by: .account, effect: .read, requirements: ["ID-3", "ID-11"],
    "Returns the caller's account.")
}

/// An account was created, or the data that other services may know has changed: its whole current state.
///
/// A subscriber keeps the event with the highest ``revision`` and ignores older ones.
public struct AccountChanged: Event, Hashable {
  public var accountID: AccountID
  public var username: Username
  public var nickname: Nickname?
  public var timeZone: TimeZoneName
  public var dayStartHour: Int
  public var language: Language
  public var isVerified: Bool
  /// The consents given; absent in events from before consents existed, when there were none.
  public var consents: [ConsentPurpose]?
  /// Whether it muted help where that was chosen once; notifications takes it over. Absent in events from before it could be.
  public var mutesHelp: Bool?
  /// Absent without a photo.
  public var photoTag: String?
  /// Absent in events from before it could be chosen, when everybody gave them.
  public var givesReadReceipts: Bool?
  /// Absent in events from before it could be chosen, when everybody might.
  public var taskEnrollment: TaskEnrollment?
  /// Absent unless it is suspended; ``Instant/endOfTime`` for one that is banned.
  public var suspendedUntil: Instant?
  public var revision: Int

  public init(
    accountID: AccountID, username: Username, nickname: Nickname?, timeZone: TimeZoneName, dayStartHour: Int, language: Language,
    isVerified: Bool, consents: [ConsentPurpose]? = nil, mutesHelp: Bool? = nil, photoTag: String? = nil,
    givesReadReceipts: Bool? = nil, taskEnrollment: TaskEnrollment? = nil, suspendedUntil: Instant? = nil, revision: Int
  ) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.timeZone = timeZone
    self.dayStartHour = dayStartHour
    self.language = language
    self.isVerified = isVerified
    self.consents = consents
    self.mutesHelp = mutesHelp
    self.photoTag = photoTag
    self.givesReadReceipts = givesReadReceipts
    self.taskEnrollment = taskEnrollment
    self.suspendedUntil = suspendedUntil
    self.revision = revision
  }

  public static let notes: Notes = [
    "accountID": "The account.", "username": "Its unique name.", "nickname": "Its display name.",
    "timeZone": "The IANA time zone of its days.",
    "dayStartHour": Note("The hour of the night at which its day starts.", range: 0...6),
    "language": "Language of its messages.", "isVerified": "Whether its e-mail address is verified.",
    "consents": "What it has consented to.",
    "mutesHelp": "Whether it muted help before this became one of the notification preferences.",
    "photoTag": "Identifies its photo; absent without one.",
    "givesReadReceipts": "Whether others see how far it has read their messages.",
    "taskEnrollment": "Who may enrol it in a task.",
    "suspendedUntil": "Until when it is suspended, if it is.",
    "revision": "Grows with each change of the account; the highest is the newest.",
  ]

  public static let spec = EventSpec(
    "accounts.changed", by: .identity, requirements: ["ID-1", "ID-2", "ID-11", "ID-13"],
    "An account was registered, verified or changed; carries its whole public state.")
}

/// Gives a service what ``AccountChanged`` will bring it too, when it cannot wait.
public enum LookUpAccount: OpenOperation {
  public struct Input: Document, Hashable {
    public var accountID: AccountID?
    public var username: Username?

    public init(accountID: AccountID) { self.accountID = accountID }
    public init(username: Username) { self.username = username }

    public static let notes: Notes = [
      "accountID": "The account's id; give this or `username`.", "username": "The account's username; give this or `accountID`.",
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect((accountID == nil) != (username == nil), "accountID", FieldRule("account_id_or_username"))
    }
  }
  public typealias Output = AccountChanged

  public static let spec = OperationSpec(
    "accounts.lookUp", of: .identity, nil, by: .services([.gateway, .activity, .social, .rewards, .notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-1"],
    "Looks an account up by id or username; `not_found` if there is none.")
}
