public import Operations

extension FeatureContract {
  static let settings = FeatureContract(operations: [GetSettings.self, UpdateSettings.self])
}

/// Whether others find the account by searching.
public enum DirectoryVisibility: String, Choice {
  /// Only who knows the username can write it down; so it is until the owner decides otherwise (GDPR, article 25, paragraph 2).
  case hidden
  /// Listed for every account whose e-mail address is verified, once its own is.
  case listed
}

/// Who sees a part of the owner's profile.
public enum ProfileVisibility: String, Choice {
  /// To nobody else; so it is until the owner decides otherwise (GDPR, article 25, paragraph 2).
  case hidden
  /// To friends.
  case friends
  /// To every account that is signed in, but for those that are blocked.
  case everyone
}

/// Who may enrol an account in a task (TASK-1).
public enum TaskEnrollment: String, Choice {
  /// Every account but for those that are blocked; so it is until the owner decides otherwise.
  case everyone
  /// Friends.
  case friends
  /// Nobody else.
  case nobody

  public init?(rawValue: String) { self.init(rawValue, formerly: ["everybody": .everyone]) }
}

/// What an account's owner has decided.
public struct AccountSettings: Document, Hashable {
  public var language: Language
  public var timeZone: TimeZoneName
  public var dayStartHour: Int
  public var consents: ConsentStates
  public var directoryVisibility: DirectoryVisibility
  public var nameVisibility: ProfileVisibility
  public var ageVisibility: ProfileVisibility
  public var givesReadReceipts: Bool
  public var taskEnrollment: TaskEnrollment

  public init(
    language: Language, timeZone: TimeZoneName, dayStartHour: Int, consents: ConsentStates,
    directoryVisibility: DirectoryVisibility, nameVisibility: ProfileVisibility = .hidden,
    ageVisibility: ProfileVisibility = .hidden, givesReadReceipts: Bool = true, taskEnrollment: TaskEnrollment = .everyone
  ) {
    self.language = language
    self.timeZone = timeZone
    self.dayStartHour = dayStartHour
    self.consents = consents
    self.directoryVisibility = directoryVisibility
    self.nameVisibility = nameVisibility
    self.ageVisibility = ageVisibility
    self.givesReadReceipts = givesReadReceipts
    self.taskEnrollment = taskEnrollment
  }

  public static let notes: Notes = [
    "language": "Language of its messages.", "timeZone": "The IANA time zone of its days.",
    "dayStartHour": Note("The hour of the night at which its day starts.", range: 0...6, example: 0),
    "consents": "What it has consented to.", "directoryVisibility": "Whether others find it by searching.",
    "nameVisibility": "To whom its profile shows the person's name.",
    "ageVisibility": "To whom its profile shows the person's age.",
    "givesReadReceipts": "Whether friends see how far it has read their messages, and it sees how far they have read its own.",
    "taskEnrollment": "Who may enrol it in a task: `everyone`, `friends` or `nobody`.",
  ]
}

/// Reads the signed-in account's settings.
public enum GetSettings: AccountOperation {
  public typealias Input = Empty
  public typealias Output = AccountSettings

  public static let spec = OperationSpec(
    "settings.get", of: .identity, .get("/v1/accounts/me/settings"), by: .account, effect: .read, requirements: ["ID-13"],
    "Returns the caller's settings.")
}

/// Changes the settings that are given. Those that are absent stay as they are; null is refused, since each always has a value.
public enum UpdateSettings: AccountOperation {
  public struct Input: Document, Hashable {
    public var language: Patch<Language>
    public var timeZone: Patch<ChosenTimeZone>
    public var dayStartHour: Patch<Int>
    /// Where help was muted once: refused, with where it is chosen now.
    public var muteHelpNotifications: Patch<Bool>
    public var consents: Patch<ConsentChoices>
    public var directoryVisibility: Patch<DirectoryVisibility>
    public var nameVisibility: Patch<ProfileVisibility>
    public var ageVisibility: Patch<ProfileVisibility>
    public var givesReadReceipts: Patch<Bool>
    public var taskEnrollment: Patch<TaskEnrollment>

    public init(
      language: Patch<Language> = .keep, timeZone: Patch<ChosenTimeZone> = .keep, dayStartHour: Patch<Int> = .keep,
      muteHelpNotifications: Patch<Bool> = .keep,
      consents: Patch<ConsentChoices> = .keep, directoryVisibility: Patch<DirectoryVisibility> = .keep,
      nameVisibility: Patch<ProfileVisibility> = .keep, ageVisibility: Patch<ProfileVisibility> = .keep,
      givesReadReceipts: Patch<Bool> = .keep, taskEnrollment: Patch<TaskEnrollment> = .keep
    ) {
      self.language = language
      self.timeZone = timeZone
      self.dayStartHour = dayStartHour
      self.muteHelpNotifications = muteHelpNotifications
      self.consents = consents
      self.directoryVisibility = directoryVisibility
      self.nameVisibility = nameVisibility
      self.ageVisibility = ageVisibility
      self.givesReadReceipts = givesReadReceipts
      self.taskEnrollment = taskEnrollment
    }

    public static let notes: Notes = [
      "language": Note("Language of messages, and of answers to sessions that are open already."),
      "timeZone": Note(
        "IANA time zone in which days are counted from now on; a region such as `Europe/Madrid`, or `UTC`."),
      "dayStartHour": Note("Hour of the night at which days start from now on.", range: 0...6, example: 3),
      "muteHelpNotifications": Note(
        "Refused: help is muted by switching the category `help` off at `notificationPreferences.update`."),
      "consents": Note("Consents to give (`true`) and to withdraw (`false`)."),
      "directoryVisibility": Note(
        "`listed` lets others find the account by searching, once its e-mail address is verified."),
      "nameVisibility": Note("To whom the profile shows the person's name."),
      "ageVisibility": Note("To whom the profile shows the person's age."),
      "givesReadReceipts": Note(
        "Whether friends see how far the caller has read their messages, and the reverse: both must give read receipts."),
      "taskEnrollment": Note("Who may enrol the account in a task: `everyone`, `friends` or `nobody`."),
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(muteHelpNotifications == .keep, "muteHelpNotifications", FieldRule("moved_to_preferences"))
    }
  }

  public typealias Output = AccountSettings

  public static let spec = OperationSpec(
    "settings.update", of: .identity, .patch("/v1/accounts/me/settings"), by: .account, effect: .write, requirements: ["ID-13"],
    "Changes the given settings; the others stay as they are.")
}
