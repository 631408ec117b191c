public import Operations

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
  /// Who made it; nil once that account was deleted.
  public var creator: TaskPerson?
  /// Whether the caller made it.
  public var isCreator: Bool
  /// Whether the caller may edit and cancel it: who made it, and once that account was deleted, who has taken part for longest.
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
    "id": "Names the task.", "name": "What it is called.", "description": "What is to be done.",
    "dueDay": "The day on which it is due.",
    "state": """
    `open`: somebody has not confirmed yet; `completed`: all participants have confirmed; `cancelled`: by its creator, or since \
    it was missed and further occurrences of its recurring task have come.
    """,
    "creator": "Who made it; absent once that account was deleted.", "isCreator": "Whether you made it.",
    "canEdit":
      "Whether you may edit and cancel it: who made it may, and once that account was deleted, who has taken part for longest.",
    "participantCount": Note("How many take part.", range: 0...50),
    "confirmedCount": Note("How many of them have confirmed their completion.", range: 0...50),
    "confirmedPercent": Note("The same in percent, rounded down.", range: 0...100),
    "isConfirmed": "Whether you have confirmed.", "createdAt": "When it was made.",
    "completedAt": "When the last participant had confirmed.", "cancelledAt": "When it was cancelled.",
    "seriesID": "The recurring task of which it is an occurrence; absent where it is none.",
    "teamID": "The team whose own it is; absent where it is none's.",
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

/// Somebody in a task: no more of an account than anybody may see (TASK-1).
public struct TaskPerson: Document, Hashable {
  /// The account.
  public var accountID: AccountID
  /// Its username.
  public var username: Username
  /// Its nickname, if it has one.
  public var nickname: String?
  /// Where its photo is, if it has one that the caller may see.
  public var photoURL: PhotoURL?

  /// The person from its parts.
  public init(accountID: AccountID, username: Username, nickname: String?, photoURL: PhotoURL?) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
  }

  public static let notes: Notes = [
    "accountID": "The account.", "username": "Its username.", "nickname": "Its nickname, if it has one.",
    "photoURL": "Its photo, if it has one that you may see.",
  ]
}

/// What a task is called: 1 to 100 characters on one line.
public struct TaskName: TextValue {
  public static let maxCharacters = 100

  public let description: String

  public init(text: String) throws(FieldRule) {
    guard !text.isBlank else { throw FieldRule("empty") }
    guard !ShortText.hasControl(text) else { throw FieldRule("control_character") }
    if let rule = ShortText.brokenLength(text, maximum: TaskName.maxCharacters) { throw rule }
    description = text.trimmed
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = TaskName(trusted: "…")

  public static let schema: JSON = [
    "type": "string", "minLength": 1, "maxLength": .integer(maxCharacters * ShortText.maxBytesPerCharacter),
    "examples": ["Paint the boat house"],
  ]
}

/// What is to be done in a task: at most 2,000 characters, line breaks allowed, at most 16 KiB.
public struct TaskDescription: TextValue {
  public static let maxCharacters = 2000

  public let description: String

  public init(text: String) throws(FieldRule) {
    description = text.isBlank ? "" : try ChatText(text: text).description
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = TaskDescription(trusted: "…")

  public static let schema: JSON = [
    "type": "string", "maxLength": .integer(ChatText.maxBytes), "examples": ["Two coats, and the door as well."],
  ]
}

/// Why a task cannot be made or changed.
public enum TaskFailure: String, FailureCode {
  /// All participants have confirmed, so nothing of it changes any more.
  case completed = "task_completed"
  case cancelled = "task_cancelled"
  /// As many that the account made are open as one may have.
  case tooMany = "too_many_tasks"
  case tooManyParticipants = "too_many_participants"
  /// What the account has written in tasks takes as many bytes as it may.
  case spaceFull = "task_space_full"
  /// Who made a task neither opts out nor is removed.
  case creatorStays = "task_creator_stays"
  /// Who has confirmed is not removed.
  case participantConfirmed = "participant_confirmed"

  public var status: Int { 409 }
}

/// Makes a task for the caller and others (TASK-1, UC3).
///
/// Everything that is wrong is answered at once: each username that nobody has, and each whose owner may not be enrolled by the caller, is a
/// fault of its own in `participants`. Who has blocked the caller, or is blocked by it, and who is suspended, looks like nobody.
public enum CreateTask: AccountOperation {
  /// What is to be done, and by whom.
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
      "name": "What to call it: 1 to 100 characters.",
      "description": "What is to be done: up to 2,000 characters, line breaks allowed.",
      "participants": TaskEnrollmentText.usernames,
      "dueDay": "The day on which it is due: from the day before today (UTC) on, and at most ten years ahead.",
      "teamID": """
      Your team: the task is its own, and all who are in it now take part, but for those from whom you are apart by a block. Who comes \
      to the team later can join.
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
    "Make a task, in which you and those whom you name take part; at most 1,000 that you made may be open.")
}

/// What is said of the usernames of people to enrol.
enum TaskEnrollmentText {
  /// More than there can be participants, so that doubled ones and one's own do no harm.
  static let maxUsernames = 100

  static let usernames = Note(
    "The usernames of those who take part besides you; at most 50 take part in all.", items: 0...maxUsernames)
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
    /// What to say to somebody whose list is empty.
    public var message: String?

    /// The page, and what to say where it is empty.
    public init(_ page: Page<SharedTask>, message: String? = nil) {
      items = page.items
      nextCursor = page.nextCursor
      self.message = message
    }

    public static let notes: Notes = [
      "items": "The page's tasks.", "nextCursor": "Give it as `cursor` for the next page; absent on the last.",
      "message": Note(
        "For an empty list: what to say to the person, in the caller's language.",
        example: "You have no tasks yet. Add one, and invite others to it!"),
    ]
  }

  public static let spec = OperationSpec(
    "tasks.list", of: .social, .get("/v1/tasks"), by: .account, effect: .read, requirements: ["TASK-2"],
    "List the tasks that you take part in: those to do, then those completed, each newest first.")
}

/// Which task.
public struct NamedTask: Document, Hashable {
  /// Names the task.
  public var taskID: ID<SharedTask>

  /// The input from its parts.
  public init(taskID: ID<SharedTask>) { self.taskID = taskID }

  public static let notes: Notes = ["taskID": "The task."]
}

/// All that the screen of a task shows (TASK-2, UC4, UC7).
public struct TaskDetails: Document, Hashable {
  /// The task.
  public var task: SharedTask
  /// Who takes part, in the order in which they were enrolled.
  public var participants: [TaskParticipant]
  /// The last comments, the newest last.
  public var comments: [TaskComment]
  /// Whether there are earlier ones.
  public var hasEarlierComments: Bool
  /// Requests for help and offers of it that are open, the newest last.
  public var help: [TaskHelp]
  /// The last attached files, the newest first.
  public var attachments: [TaskAttachment]
  /// Whether there are more.
  public var hasMoreAttachments: Bool
  /// Its parts, in the order in which they were made.
  public var parts: [TaskPart]

  /// The details from their parts.
  public init(
    task: SharedTask, participants: [TaskParticipant], comments: [TaskComment], hasEarlierComments: Bool, help: [TaskHelp],
    attachments: [TaskAttachment], hasMoreAttachments: Bool,
    parts: [TaskPart]
  ) {
    self.task = task
    self.participants = participants
    self.comments = comments
    self.hasEarlierComments = hasEarlierComments
    self.help = help
    self.attachments = attachments
    self.hasMoreAttachments = hasMoreAttachments
    self.parts = parts
  }

  public static let notes: Notes = [
    "task": "The task.", "participants": "Who takes part, in the order in which they were enrolled, each with its completion.",
    "comments": "The last 20 comments, the newest last.",
    "hasEarlierComments": "Whether `taskComments.list` has earlier ones.",
    "help": "Requests for help and offers of it that are open, the newest last.",
    "attachments": "The last 50 attached files, the newest first.",
    "hasMoreAttachments": "Whether `taskAttachments.list` has more.",
    "parts": "Its parts, in the order in which they were made; at most 50.",
  ]
}

/// Shows a task with all that its screen has (TASK-2, UC4, UC7). To who does not take part it does not exist.
public enum GetTask: AccountOperation {
  public typealias Input = NamedTask
  public typealias Output = TaskDetails

  public static let spec = OperationSpec(
    "tasks.get", of: .social, .get("/v1/tasks/{taskID}"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-2", "TASK-4"],
    """
    Show a task that you take part in: participants, how far they are, its parts, the last comments and files, help asked for and \
    offered.
    """)
}

/// Changes what an open task says, by its creator (TASK-1), or by who has taken part for longest where the creator was deleted. What is
/// not given stays as it is.
public enum EditTask: AccountOperation {
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
      "taskID": "The task.", "name": Note("What to call it: 1 to 100 characters."),
      "description": Note("What is to be done: up to 2,000 characters, line breaks allowed; null removes it."),
      "dueDay": Note(
        "The day on which it is due: from the day before that of its creation (UTC) on, and at most ten years ahead; null removes it."
      ),
    ]
  }

  public typealias Output = SharedTask

  public static let spec = OperationSpec(
    "tasks.edit", of: .social, .patch("/v1/tasks/{taskID}"), by: .verifiedAccount, effect: .write,
    failures: TaskRefusals.ofCreator + [TaskFailure.completed.kind, TaskFailure.cancelled.kind, TaskFailure.spaceFull.kind],
    requirements: ["TASK-1"], "Change name, description and due day of an open task that you made.")
}

/// Cancels an open task, by who may edit it (TASK-1): nothing of it can be confirmed any more. Cancelling it again changes nothing.
public enum CancelTask: AccountOperation {
  public typealias Input = NamedTask
  public typealias Output = SharedTask

  public static let spec = OperationSpec(
    "tasks.cancel", of: .social, .post("/v1/tasks/{taskID}/cancel"), by: .account, effect: .write,
    failures: TaskRefusals.ofCreator + [TaskFailure.completed.kind], requirements: ["TASK-1"],
    "Cancel an open task that you made; the other participants are notified.")
}

/// To whom tasks are closed.
enum TaskRefusals {
  /// To who does not take part the task does not exist; of those who do, only its creator may.
  static let ofCreator = [RequestFailure.notFound.kind, RequestFailure.forbidden.kind]
}

// MARK: - Events

/// A task as it is now for one of its participants: one event for each of them, and for who takes part no more (TASK-1 to TASK-5).
///
/// It names nobody else, so that it outlives the other participants' accounts. Of several the one with the highest revision counts.
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
    "accountID": "For whom this is.", "taskID": "The task.", "name": "What it is called.", "state": "What became of it.",
    "isParticipant": "Whether the account takes part; false once it has opted out or was removed.",
    "isConfirmed": "Whether the account has confirmed its completion.",
    "participantCount": Note("How many take part.", range: 0...50),
    "confirmedCount": Note("How many of them have confirmed.", range: 0...50),
    "revision": "Of two states the one with the higher revision is the later.", "at": "When.",
  ]

  public static let spec = EventSpec(
    "tasks.changed", by: .social, isLive: true, requirements: ["TASK-2", "TASK-4", "TASK-5"],
    "A task was made or changed, or somebody joined, left or confirmed; one event for each participant.")
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
public struct TaskNoticed: Event, Hashable {
  public var noticeID: ID<TaskNotice>
  public var accountID: AccountID
  public var taskID: ID<SharedTask>
  public var taskName: TaskName
  public var notice: TaskNotice
  /// What the part is called that was assigned; nil for other notices.
  public var partTitle: TaskName?
  /// Who did it; absent where nobody alone did.
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
    "noticeID": "Names the notice.", "accountID": "Who is to be notified.", "taskID": "The task.",
    "taskName": "What the task is called.", "notice": "Of what.",
    "leafNumber": Note("Of a completed task: the leaf of the last confirmation in the register.", range: 0...9e15),
    "checkpoint": Note(
      "The first checkpoint that covers the leaf, a signed note (c2sp.org/tlog-checkpoint).", length: 1...1_000_000,
      breaksLines: true),
    "partTitle": "What the part is called that was assigned; absent for other notices.",
    "byAccountID": "Who did it; absent where nobody alone did.",
    "byUsername": "The username of who did it.", "at": "When.",
  ]

  public static let spec = EventSpec(
    "tasks.noticed", by: .social, requirements: ["TASK-1", "TASK-3", "TASK-5"],
    "Somebody was enrolled in a task or removed from it, opted out, was given a part, or the task has recurred, was completed or cancelled."
  )
}
