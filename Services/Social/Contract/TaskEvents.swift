public import Operations

extension FeatureContract {
  static let taskEvents = FeatureContract(events: [TaskChanged.self, TaskNoticeCreated.self])
}

/// The current state of a task for one of its participants: one event for each of them, and for one that has left (TASK-1 to TASK-5).
///
/// It names no other account, so that it outlives the other participants' accounts. The highest revision counts.
public struct TaskChanged: Event, Hashable {
  public var accountID: AccountID
  public var taskID: ID<SharedTask>
  public var name: TaskName
  public var state: TaskState
  public var isParticipant: Bool
  public var isConfirmed: Bool
  public var participantCount: Int
  public var confirmedCount: Int
  public var revision: Int
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, taskID: ID<SharedTask>, name: TaskName, state: TaskState, isParticipant: Bool, isConfirmed: Bool,
    participantCount: Int, confirmedCount: Int, revision: Int, at: Instant
  ) {
    self.accountID = accountID
    self.taskID = taskID
    self.name = name
    self.state = state
    self.isParticipant = isParticipant
    self.isConfirmed = isConfirmed
    self.participantCount = participantCount
    self.confirmedCount = confirmedCount
    self.revision = revision
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account that receives the event.", "taskID": "The task.", "name": "Its name.", "state": "The task's state.",
    "isParticipant": "Whether the account takes part; false once it has opted out or was removed.",
    "isConfirmed": "Whether the account has confirmed its completion.",
    "participantCount": Note("The number of participants.", range: 0...50),
    "confirmedCount": Note("The number of participants who have confirmed.", range: 0...50),
    "revision": "Of two states, the one with the higher revision is the later.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "tasks.changed", by: .social, isLive: true, requirements: ["TASK-2", "TASK-4", "TASK-5"],
    "A task was created or changed, or somebody joined, left or confirmed; one event for each participant.")
}

/// What a participant is notified of.
public enum TaskNotice: String, Choice {
  /// It was enrolled.
  case enrolled
  /// It was removed.
  case removed
  /// Somebody opted out of the task that it made.
  case optedOut
  /// All have confirmed.
  case completed
  /// The creator cancelled the task.
  case cancelled
  /// Its day of a recurring task has begun.
  case recurred
  /// A part of it was assigned to the participant.
  case partAssigned
}

/// A participant is to be notified of something about a task (TASK-1 to TASK-5).
public struct TaskNoticeCreated: Event, Hashable {
  public var noticeID: ID<TaskNotice>
  public var accountID: AccountID
  public var taskID: ID<SharedTask>
  public var taskName: TaskName
  public var notice: TaskNotice
  /// What the part is called that was assigned; nil for other notices.
  public var partTitle: TaskName?
  /// The account that did it; absent where it was not a single account's doing.
  public var byAccountID: AccountID?
  public var byUsername: Username?
  /// Of a completed task: the leaf of the last confirmation in the register, and the first checkpoint that covers it (TASK-9).
  public var leafNumber: Int?
  public var checkpoint: String?
  public var at: Instant

  /// The event from its parts.
  public init(
    noticeID: ID<TaskNotice>, accountID: AccountID, taskID: ID<SharedTask>, taskName: TaskName, notice: TaskNotice,
    partTitle: TaskName? = nil, byAccountID: AccountID?, byUsername: Username?, leafNumber: Int? = nil, checkpoint: String? = nil,
    at: Instant
  ) {
    self.noticeID = noticeID
    self.accountID = accountID
    self.taskID = taskID
    self.taskName = taskName
    self.notice = notice
    self.partTitle = partTitle
    self.byAccountID = byAccountID
    self.byUsername = byUsername
    self.leafNumber = leafNumber
    self.checkpoint = checkpoint
    self.at = at
  }

  public static let notes: Notes = [
    "noticeID": "Id of the notice.", "accountID": "The account to be notified.", "taskID": "The task.",
    "taskName": "The task's name.", "notice": "What to notify of.",
    "leafNumber": Note("For a completed task: the leaf of the last confirmation in the register.", range: 0...9e15),
    "checkpoint": Note(
      "The first checkpoint that covers the leaf, a signed note (c2sp.org/tlog-checkpoint).", length: 1...1_000_000,
      breaksLines: true),
    "partTitle": "The title of the part that was assigned; absent for other notices.",
    "byAccountID": "The account that did it; absent if no single account did.",
    "byUsername": "The username of the account that did it.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "taskNotices.created", formerly: "tasks.noticed", by: .social, requirements: ["TASK-1", "TASK-3", "TASK-5"],
    "Somebody was enrolled in a task or removed from it, opted out, was given a part, or the task has recurred, was completed or cancelled."
  )
}
