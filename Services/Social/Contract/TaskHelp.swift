public import Operations

extension FeatureContract {
  static let taskHelp = FeatureContract(
    operations: [RequestTaskHelp.self, OfferTaskHelp.self, CloseTaskHelp.self, ThankForTaskHelp.self],
    events: [TaskHelpChanged.self, TaskHelpThanked.self, TaskHelpGiven.self])
}

/// A request for help or an offer of help in a task, as one of its participants sees it (TASK-7). Answers are comments that refer to it.
public struct TaskHelp: Document, Hashable {
  /// Names it.
  public var id: ID<TaskHelp>
  /// The task.
  public var taskID: ID<SharedTask>
  /// Whether help is asked for or offered.
  public var kind: TaskHelpKind
  /// The participant who asks or offers.
  public var person: TaskPerson
  /// When it was asked for or offered.
  public var createdAt: Instant
  /// When it was closed; nil while it is open.
  public var closedAt: Instant?
  /// Those whom the person has thanked for their help.
  public var thankedAccountIDs: [AccountID]

  /// The help from its parts.
  public init(
    id: ID<TaskHelp>, taskID: ID<SharedTask>, kind: TaskHelpKind, person: TaskPerson, createdAt: Instant, closedAt: Instant?,
    thankedAccountIDs: [AccountID]
  ) {
    self.id = id
    self.taskID = taskID
    self.kind = kind
    self.person = person
    self.createdAt = createdAt
    self.closedAt = closedAt
    self.thankedAccountIDs = thankedAccountIDs
  }

  public static let notes: Notes = [
    "id": "Its id.", "taskID": "The task.",
    "kind": "`request`: the person asks for help; `offer`: it offers help.", "person": "The account that asks or offers.",
    "createdAt": "When help was asked for or offered.",
    "closedAt": "When it was closed, by its author or with the task; absent while it is open.",
    "thankedAccountIDs": Note("The accounts that were thanked for their help.", items: 0...50),
  ]
}

/// Whether help is asked for or offered.
public enum TaskHelpKind: String, Choice { case request, offer }

/// Why help cannot be asked for, offered or thanked for; see ``TaskFailure`` too.
public enum TaskHelpFailure: String, FailureCode {
  /// There is no other participant who could help or be helped.
  case noOthers = "no_other_participants"
  /// One request of a person and task is open at most.
  case alreadyRequested = "help_already_requested"
  /// One offer of a person and task is open at most.
  case alreadyOffered = "help_already_offered"
  /// The account to be thanked has neither answered the request nor offered help.
  case notHelped = "has_not_helped"
  /// As often as one person may within a day, in one task.
  case tooOften = "asked_for_help_too_often"

  public var status: Int { self == .tooOften ? 429 : 409 }
}

/// Asks the other participants of an open task for help (TASK-7, UC11). All of them are notified, except those who mute help.
public enum RequestTaskHelp: AccountOperation {
  public typealias Input = NamedTask
  public typealias Output = TaskHelp

  public static let spec = OperationSpec(
    "taskHelp.request", of: .social, .post("/v1/tasks/{taskID}/help-requests"), by: .verifiedAccount, effect: .create,
    failures: TaskHelpRefusals.ofAsking + [TaskHelpFailure.alreadyRequested.kind], requirements: ["TASK-7"],
    "Asks the other participants of an open task for help; the caller may have one open request in a task.")
}

/// Offers help to the other participants of an open task, without a request (TASK-7, UC12). All of them are notified, except those who mute
/// help.
public enum OfferTaskHelp: AccountOperation {
  public typealias Input = NamedTask
  public typealias Output = TaskHelp

  public static let spec = OperationSpec(
    "taskHelp.offer", of: .social, .post("/v1/tasks/{taskID}/help-offers"), by: .verifiedAccount, effect: .create,
    failures: TaskHelpRefusals.ofAsking + [TaskHelpFailure.alreadyOffered.kind], requirements: ["TASK-7"],
    "Offers help to the other participants of an open task; the caller may have one open offer in a task.")
}

/// Closes a request or an offer of the caller's own (TASK-7). Closing it again changes nothing.
public enum CloseTaskHelp: AccountOperation {
  public typealias Input = NamedTaskHelp
  public typealias Output = TaskHelp

  public static let spec = OperationSpec(
    "taskHelp.close", of: .social, .post("/v1/tasks/{taskID}/help/{helpID}/close"), by: .account, effect: .write,
    failures: TaskRefusals.ofCreator, requirements: ["TASK-7"], "Closes the caller's own request for help, or offer.")
}

/// Thanks a participant for help; the caller must have asked for help (TASK-7), and the participant must have answered the request, or
/// offered help in the task.
///
/// The first thanks to a helper in a task count as help given. Thanking again changes nothing.
public enum ThankForTaskHelp: AccountOperation {
  /// For which request, and whom.
  public struct Input: Document {
    /// Names the task.
    public var taskID: ID<SharedTask>
    /// Names the request.
    public var helpID: ID<TaskHelp>
    /// Who helped.
    public var accountID: AccountID

    /// The input from its parts.
    public init(taskID: ID<SharedTask>, helpID: ID<TaskHelp>, accountID: AccountID) {
      self.taskID = taskID
      self.helpID = helpID
      self.accountID = accountID
    }

    public static let notes: Notes = [
      "taskID": "The task.", "helpID": "The caller's request for help.", "accountID": "The account that helped.",
    ]
  }

  public typealias Output = TaskHelp

  public static let spec = OperationSpec(
    "taskHelp.thank", of: .social, .post("/v1/tasks/{taskID}/help/{helpID}/thank"), by: .verifiedAccount, effect: .write,
    failures: TaskRefusals.ofCreator + [TaskHelpFailure.notHelped.kind], requirements: ["TASK-7"],
    "Thanks a participant who answered the caller's request for help, or had offered help.")
}

/// Which request or offer.
public struct NamedTaskHelp: Document, Hashable {
  /// Names the task.
  public var taskID: ID<SharedTask>
  /// Names the request or the offer.
  public var helpID: ID<TaskHelp>

  /// The input from its parts.
  public init(taskID: ID<SharedTask>, helpID: ID<TaskHelp>) {
    self.taskID = taskID
    self.helpID = helpID
  }

  public static let notes: Notes = ["taskID": "The task.", "helpID": "The request or the offer."]
}

/// When help is neither asked for nor offered.
enum TaskHelpRefusals {
  static let ofAsking = [
    RequestFailure.notFound.kind, TaskFailure.completed.kind, TaskFailure.cancelled.kind, TaskHelpFailure.noOthers.kind,
    TaskHelpFailure.tooOften.kind,
  ]
}

// MARK: - Events

/// Help was requested, offered, closed or thanked for: one event for each participant, with the help as that participant sees it (TASK-7).
public struct TaskHelpChanged: Event, Hashable {
  public var accountID: AccountID
  public var taskName: TaskName
  public var help: TaskHelp
  /// Only in events from before notifications knew by itself who mutes help.
  public var isMuted: Bool?
  public var at: Instant

  /// The event from its parts.
  public init(accountID: AccountID, taskName: TaskName, help: TaskHelp, at: Instant) {
    self.accountID = accountID
    self.taskName = taskName
    self.help = help
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account that receives the event.", "taskName": "The task's name.",
    "help": "The request or the offer as that account sees it.",
    "isMuted": "Always absent; muting help is one of the notification preferences.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "taskHelp.changed", by: .social, isLive: true, requirements: ["TASK-7"],
    "Help in a task was asked for, offered, closed or thanked for; one event for each participant.")
}

/// Somebody was thanked for its help (TASK-7).
public struct TaskHelpThanked: Event, Hashable {
  public var accountID: AccountID
  public var taskID: ID<SharedTask>
  public var taskName: TaskName
  public var helpID: ID<TaskHelp>
  public var byAccountID: AccountID
  public var byUsername: Username
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, taskID: ID<SharedTask>, taskName: TaskName, helpID: ID<TaskHelp>, byAccountID: AccountID,
    byUsername: Username, at: Instant
  ) {
    self.accountID = accountID
    self.taskID = taskID
    self.taskName = taskName
    self.helpID = helpID
    self.byAccountID = byAccountID
    self.byUsername = byUsername
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account that helped.", "taskID": "The task.", "taskName": "The task's name.",
    "helpID": "The request for help.", "byAccountID": "The account that thanks.",
    "byUsername": "The username of the account that thanks.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "taskHelp.thanked", by: .social, requirements: ["TASK-7"],
    "The account that had asked for help in a task thanked somebody who helped.")
}

/// An account has given help in a task: published once for each account and task, and never withdrawn. It names no other account, and so
/// outlives the helped account (TASK-7).
public struct TaskHelpGiven: Event, Hashable {
  public var accountID: AccountID
  public var taskID: ID<SharedTask>
  public var at: Instant

  /// The event from its parts.
  public init(accountID: AccountID, taskID: ID<SharedTask>, at: Instant) {
    self.accountID = accountID
    self.taskID = taskID
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account that helped.", "taskID": "The task.", "at": "When it was first thanked.",
  ]

  public static let spec = EventSpec(
    "taskHelp.given", by: .social, requirements: ["TASK-7"],
    "An account was thanked for help in a task; once for each account and task.")
}
