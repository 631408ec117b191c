public import Operations

extension FeatureContract {
  static let tasks = FeatureContract(
    operations: [CreateTask.self, ListTasks.self, GetTask.self, UpdateTask.self, CancelTask.self])
}

/// Something that several people do together, as one of its participants sees it (TASK-1 to TASK-5).
public struct SharedTask: Document, Hashable {
  /// Names the task.
  public var id: ID<SharedTask>
  /// What it is called.
  public var name: TaskName
  /// What is to be done.
  public var description: TaskDescription?
  /// The day on which it is due.
  public var dueDay: LocalDay?
  /// What became of it.
  public var state: TaskState
  /// The creator; nil once that account was deleted.
  public var creator: TaskPerson?
  /// Whether the caller made it.
  public var isCreator: Bool
  /// Whether the caller may edit and cancel it: its creator or, once that account was deleted, the participant who has taken part for
  /// longest.
  public var canEdit: Bool
  /// How many take part.
  public var participantCount: Int
  /// How many of them have confirmed their completion.
  public var confirmedCount: Int
  /// The same in percent, rounded down: 100 only when all have.
  public var confirmedPercent: Int
  /// Whether the caller has.
  public var isConfirmed: Bool
  /// When it was made.
  public var createdAt: Instant
  /// When the last participant had confirmed.
  public var completedAt: Instant?
  /// When it was cancelled.
  public var cancelledAt: Instant?
  /// The recurring task of which it is an occurrence.
  public var seriesID: ID<TaskSeries>?
  /// The team whose own it is.
  public var teamID: ID<Team>?

  /// The task from its parts.
  public init(
    id: ID<SharedTask>, name: TaskName, description: TaskDescription?, dueDay: LocalDay?, state: TaskState, creator: TaskPerson?,
    isCreator: Bool, canEdit: Bool, participantCount: Int, confirmedCount: Int, isConfirmed: Bool, createdAt: Instant,
    completedAt: Instant?, cancelledAt: Instant?, seriesID: ID<TaskSeries>? = nil, teamID: ID<Team>? = nil
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.dueDay = dueDay
    self.state = state
    self.creator = creator
    self.isCreator = isCreator
    self.canEdit = canEdit
    self.participantCount = participantCount
    self.confirmedCount = confirmedCount
    confirmedPercent = participantCount > 0 ? confirmedCount * 100 / participantCount : 0
    self.isConfirmed = isConfirmed
    self.createdAt = createdAt
    self.completedAt = completedAt
    self.cancelledAt = cancelledAt
    self.seriesID = seriesID
    self.teamID = teamID
  }

  public static let schemaName = "Task"

  public static let notes: Notes = [
    "id": "Id of the task.", "name": "Its name.", "description": "What is to be done.",
    "dueDay": "The day on which it is due.",
    "state": """
    `open`: somebody has not confirmed yet; `completed`: all participants have confirmed; `cancelled`: by its creator, or because \
    it was missed and further occurrences of its recurring task have come.
    """,
    "creator": "The account that created it; absent once it was deleted.", "isCreator": "Whether the caller created it.",
    "canEdit":
      "Whether the caller may edit and cancel it: its creator may and, once that account was deleted, the participant of longest standing.",
    "participantCount": Note("The number of participants.", range: 0...50),
    "confirmedCount": Note("The number of participants who have confirmed their completion.", range: 0...50),
    "confirmedPercent": Note("The same in percent, rounded down.", range: 0...100),
    "isConfirmed": "Whether the caller has confirmed.", "createdAt": "When it was created.",
    "completedAt": "When the last participant had confirmed.", "cancelledAt": "When it was cancelled.",
    "seriesID": "The recurring task that it is an occurrence of; absent if there is none.",
    "teamID": "The team that it belongs to; absent if there is none.",
  ]
}

/// What became of a task.
public enum TaskState: String, Choice {
  /// Somebody has not confirmed yet.
  case open
  /// All participants have confirmed.
  case completed
  /// By its creator before it was completed, or since it was missed and further occurrences of its series have come.
  case cancelled
}

/// Why a task cannot be made or changed.
public enum TaskFailure: String, FailureCode {
  /// All participants have confirmed, so the task can no longer change.
  case completed = "task_completed"
  case cancelled = "task_cancelled"
  /// As many that the account made are open as one may have.
  case tooMany = "too_many_tasks"
  case tooManyParticipants = "too_many_participants"
  /// What the account has written in tasks takes as many bytes as it may.
  case spaceFull = "task_space_full"
  /// A task's creator can neither opt out nor be removed.
  case creatorStays = "task_creator_stays"
  /// A participant who has confirmed cannot be removed.
  case participantConfirmed = "participant_confirmed"

  public var status: Int { 409 }
}

/// Creates a task for the caller and others (TASK-1, UC3).
///
/// All problems are answered at once: each unknown username, and each account that the caller may not enrol, is a fault of its own in
/// `participants`. An account that has blocked the caller, is blocked by it or is suspended counts as unknown.
public enum CreateTask: AccountOperation {
  /// The texts and the participants.
  public struct Input: Form {
    /// What it is called.
    public var name: TaskName
    /// What is to be done.
    public var description: TaskDescription?
    /// Who else takes part.
    public var participants: [Username]?
    /// The day on which it is due.
    public var dueDay: LocalDay?
    /// The caller's team, all of whose members take part.
    public var teamID: ID<Team>?
    public var found = FoundProblems()

    private enum CodingKeys: String, CodingKey { case name, description, participants, dueDay, teamID }

    /// The input from its parts.
    public init(
      name: TaskName, description: TaskDescription? = nil, participants: [Username]? = nil, dueDay: LocalDay? = nil,
      teamID: ID<Team>? = nil
    ) {
      self.name = name
      self.description = description
      self.participants = participants
      self.dueDay = dueDay
      self.teamID = teamID
    }

    public static let notes: Notes = [
      "name": "Its name: 1 to 100 characters.",
      "description": "What is to be done: up to 2,000 characters, line breaks allowed.",
      "participants": TaskEnrollmentText.usernames,
      "dueDay": "The day on which it is due: from the day before today (UTC) on, and at most ten years ahead.",
      "teamID": """
      The caller's team: the task belongs to it, and all present members take part, except those who are separated from the caller \
      by a block. Later members can join.
      """,
    ]
  }

  public typealias Output = SharedTask

  public static let spec = OperationSpec(
    "tasks.create", of: .social, .post("/v1/tasks"), by: .verifiedAccount, effect: .create, rate: .registered,
    failures: [
      RequestFailure.notFound.kind, TaskFailure.tooMany.kind, TaskFailure.tooManyParticipants.kind, TaskFailure.spaceFull.kind,
      TeamTaskFailure.tooMany.kind,
    ],
    requirements: ["TASK-1"],
    "Creates a task in which the caller and the named people take part; at most 1,000 that the caller created may be open.")
}

/// What is said of the usernames of people to enrol.
enum TaskEnrollmentText {
  /// More than there can be participants, so that doubled ones and one's own do no harm.
  static let maxUsernames = 100

  static let usernames = Note(
    "The usernames of those who take part besides the caller; at most 50 take part in all.", items: 0...maxUsernames)
}

/// The tasks that the caller takes part in: those to do, then those completed, each newest first (TASK-2, UC4).
public enum ListTasks: AccountOperation {
  /// Which of them.
  public struct Input: ListInput {
    /// Only those in this state.
    public var state: TaskState?
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(state: TaskState? = nil, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.state = state
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes([
      "state": "Only those in this state. Without it: those that are open, then those completed; cancelled ones are left out."
    ])
  }

  /// A page of tasks.
  public struct Output: Document, Hashable {
    /// The page's tasks.
    public var items: [SharedTask]
    /// Where the next page begins.
    public var nextCursor: PageCursor?
    /// What to say to a user whose list is empty.
    public var message: String?

    /// The page, and what to say where it is empty.
    public init(_ page: Page<SharedTask>, message: String? = nil) {
      items = page.items
      nextCursor = page.nextCursor
      self.message = message
    }

    public static let notes: Notes = [
      "items": "The page's tasks.", "nextCursor": "The `cursor` for the next page; absent on the last.",
      "message": Note(
        "For an empty list: what to say to the person, in the caller's language.",
        example: "You have no tasks yet. Add one, and invite others to it!"),
    ]
  }

  public static let spec = OperationSpec(
    "tasks.list", of: .social, .get("/v1/tasks"), by: .account, effect: .read, requirements: ["TASK-2"],
    "Lists the tasks that the caller takes part in: those to do, then those completed, each newest first.")
}

/// Which task.
public struct NamedTask: Document, Hashable {
  /// Names the task.
  public var taskID: ID<SharedTask>

  /// The input from its parts.
  public init(taskID: ID<SharedTask>) { self.taskID = taskID }

  public static let notes: Notes = ["taskID": "The task."]
}

/// Shows a task with all that its screen has (TASK-2, UC4, UC7). To who does not take part it does not exist.
public enum GetTask: AccountOperation {
  public typealias Input = NamedTask
  public typealias Output = TaskDetails

  public static let spec = OperationSpec(
    "tasks.get", of: .social, .get("/v1/tasks/{taskID}"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-2", "TASK-4"],
    """
    Returns a task that the caller takes part in: participants and their progress, its parts, the last comments and files, help \
    asked for and offered.
    """)
}

/// Changes the texts of an open task, by its creator (TASK-1) or, if the creator was deleted, by the participant who has taken part for
/// longest. Absent fields stay unchanged.
public enum UpdateTask: AccountOperation {
  /// What is to be changed.
  public struct Input: Document {
    /// Names the task.
    public var taskID: ID<SharedTask>
    /// What it is called.
    public var name: Patch<TaskName>
    /// What is to be done.
    public var description: Patch<TaskDescription?>
    /// The day on which it is due.
    public var dueDay: Patch<LocalDay?>

    /// The input from its parts.
    public init(
      taskID: ID<SharedTask>, name: Patch<TaskName> = .keep, description: Patch<TaskDescription?> = .keep,
      dueDay: Patch<LocalDay?> = .keep
    ) {
      self.taskID = taskID
      self.name = name
      self.description = description
      self.dueDay = dueDay
    }

    public static let notes: Notes = [
      "taskID": "The task.", "name": Note("Its name: 1 to 100 characters."),
      "description": Note("What is to be done: up to 2,000 characters, line breaks allowed; null removes it."),
      "dueDay": Note(
        "The day on which it is due: from the day before that of its creation (UTC) on, and at most ten years ahead; null removes it."
      ),
    ]
  }

  public typealias Output = SharedTask

  public static let spec = OperationSpec(
    "tasks.update", of: .social, .patch("/v1/tasks/{taskID}"), by: .verifiedAccount, effect: .write,
    failures: TaskRefusals.ofCreator + [TaskFailure.completed.kind, TaskFailure.cancelled.kind, TaskFailure.spaceFull.kind],
    requirements: ["TASK-1"], "Changes name, description and due day of an open task that the caller may edit (`canEdit`).")
}

/// Cancels an open task, by an account that may edit it (TASK-1): it can no longer be confirmed. Cancelling it again changes nothing.
public enum CancelTask: AccountOperation {
  public typealias Input = NamedTask
  public typealias Output = SharedTask

  public static let spec = OperationSpec(
    "tasks.cancel", of: .social, .post("/v1/tasks/{taskID}/cancel"), by: .account, effect: .write,
    failures: TaskRefusals.ofCreator + [TaskFailure.completed.kind], requirements: ["TASK-1"],
    "Cancels an open task that the caller may edit (`canEdit`); the other participants are notified.")
}

/// To whom tasks are closed.
enum TaskRefusals {
  /// For accounts that do not take part the task does not exist; among the participants, only its creator may call.
  static let ofCreator = [RequestFailure.notFound.kind, RequestFailure.forbidden.kind]
}
