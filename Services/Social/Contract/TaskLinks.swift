public import Operations

extension FeatureContract {
  static let taskLinks = FeatureContract(
    operations: [CreateTaskLink.self, ListTaskLinks.self, RevokeTaskLink.self, GetPublicTask.self, GetTaskProfilePart.self])
}

/// An account's public link to a task that it has completed with others, as the account sees it (TASK-6, UC8).
///
/// Its visitors see the task's name, the day of its completion and the number of the other participants, and whatever else the account has
/// chosen.
public struct TaskLink: Document, Hashable {
  /// Names the link to its owner.
  public var id: ID<TaskLink>
  /// The task.
  public var taskID: ID<SharedTask>
  /// What the task is called.
  public var taskName: TaskName
  /// Grants access to what the account has chosen to show.
  public var key: String
  /// Where browsers find it, relative to the gateway's address.
  public var page: String
  /// Whether it shows what was to be done.
  public var showsDescription: Bool
  /// Whether it shows whose it is.
  public var showsOwner: Bool
  /// Whether moderators have closed it.
  public var isClosed: Bool
  /// When it was made.
  public var createdAt: Instant

  /// The link from its parts.
  public init(
    id: ID<TaskLink>, taskID: ID<SharedTask>, taskName: TaskName, key: String, showsDescription: Bool, showsOwner: Bool,
    isClosed: Bool = false, createdAt: Instant
  ) {
    self.id = id
    self.taskID = taskID
    self.taskName = taskName
    self.key = key
    page = TaskLink.page(key)
    self.showsDescription = showsDescription
    self.showsOwner = showsOwner
    self.isClosed = isClosed
    self.createdAt = createdAt
  }

  /// The path of the page that a link opens, relative to the gateway's address.
  public static func page(_ key: String) -> String { "/task/\(key)" }

  public static let notes: Notes = [
    "id": "Id of the link.", "taskID": "The task.", "taskName": "The task's name.",
    "key": "The key of the link: anyone who has it sees the public page of the task.",
    "page": Note("The path of that page, on this server; it needs no login.", example: "/task/AZrk…"),
    "showsDescription": "Whether it shows what was to be done.",
    "showsOwner": "Whether it shows the caller's username and nickname, and the caller's public profile lists it.",
    "isClosed": "Whether moderators have closed it, so it no longer works.",
    "createdAt": "When it was created.",
  ]
}

/// Why there is no link to a task.
public enum TaskLinkFailure: String, FailureCode {
  /// Somebody has not confirmed yet, or the task was cancelled.
  case notCompleted = "task_not_completed"
  /// The account has as many links as one may have.
  case tooMany = "too_many_task_links"
  /// Moderators have closed it, or all public links to the task.
  case closed = "task_link_closed"

  public var status: Int { 409 }
}

/// Creates the caller's public link to a completed task in which it takes part, or changes what that link shows (TASK-6, UC8). It stays the
/// same link until it is revoked.
///
/// The caller may publish only its own texts: only the link of the task's creator shows the description. The caller's public profile lists
/// only links that show their owner: otherwise the profile would reveal what the link was to conceal.
public enum CreateTaskLink: AccountOperation {
  /// Which task, and what of it is shown.
  public struct Input: Document {
    /// The task.
    public var taskID: ID<SharedTask>
    /// Whether to show what was to be done; not if absent.
    public var showsDescription: Bool?
    /// Whether to show whose link it is; not if absent.
    public var showsOwner: Bool?

    /// The input from its parts.
    public init(taskID: ID<SharedTask>, showsDescription: Bool? = nil, showsOwner: Bool? = nil) {
      self.taskID = taskID
      self.showsDescription = showsDescription
      self.showsOwner = showsOwner
    }

    public static let notes: Notes = [
      "taskID": "The task.",
      "showsDescription": "Whether to show what was to be done, if the caller created the task; `false` if absent.",
      "showsOwner":
        "Whether to show the caller's username and nickname, and to list it on the caller's public profile; `false` if absent.",
    ]

    /// The rule for a description that another wrote.
    public static let othersDescription = FieldRule("description_of_another")
  }

  public typealias Output = TaskLink

  // It takes an idempotency key although it answers a secret: the store and the key that open the recorded reply give the link anyway.
  public static let spec = OperationSpec(
    "taskLinks.create", of: .social, .post("/v1/tasks/{taskID}/link"), by: .account, effect: .create,
    failures: [
      RequestFailure.notFound.kind, TaskLinkFailure.notCompleted.kind, TaskLinkFailure.tooMany.kind,
      TaskLinkFailure.closed.kind,
    ],
    requirements: ["TASK-6"],
    """
    Creates a public link to a completed task of the caller, or changes what it shows; if it shows the caller, the public \
    profile lists it.
    """)
}

/// The caller's public links to tasks, newest first (TASK-6).
public enum ListTaskLinks: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<TaskLink>

  public static let spec = OperationSpec(
    "taskLinks.list", of: .social, .get("/v1/task-links"), by: .account, effect: .read, requirements: ["TASK-6"],
    "Lists the caller's public links to tasks, newest first.")
}

/// Revokes a public link to a task (TASK-6).
public enum RevokeTaskLink: AccountOperation {
  /// Which link.
  public struct Input: Document {
    /// Names the link.
    public var taskLinkID: ID<TaskLink>

    /// The input from its parts.
    public init(taskLinkID: ID<TaskLink>) { self.taskLinkID = taskLinkID }

    public static let notes: Notes = ["taskLinkID": "The link."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "taskLinks.revoke", of: .social, .delete("/v1/task-links/{taskLinkID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-6"], "Revokes a public link to a task.")
}

/// The data of a completed task that visitors of a link may see (TASK-6).
public struct PublicTask: Document, Hashable {
  /// Names the link, for reports of what it shows.
  public var taskLinkID: ID<TaskLink>
  /// What it is called.
  public var name: TaskName
  /// What was to be done, where that was chosen.
  public var description: TaskDescription?
  /// When the last participant had confirmed.
  public var completedAt: Instant
  /// How many took part besides whose link it is.
  public var otherParticipantCount: Int
  /// The username of the link's owner, where that was chosen.
  public var username: Username?
  /// The nickname of the link's owner, where that was chosen.
  public var nickname: String?

  /// The task from its parts.
  public init(
    taskLinkID: ID<TaskLink>, name: TaskName, description: TaskDescription?, completedAt: Instant, otherParticipantCount: Int,
    username: Username?,
    nickname: String?
  ) {
    self.taskLinkID = taskLinkID
    self.name = name
    self.description = description
    self.completedAt = completedAt
    self.otherParticipantCount = otherParticipantCount
    self.username = username
    self.nickname = nickname
  }

  public static let notes: Notes = [
    "taskLinkID": "Id of the link, for reports of what it shows.", "name": "Its name.",
    "description": "What was to be done; absent if that is not shown.",
    "completedAt": "When the last participant had confirmed.",
    "otherParticipantCount": Note("The number of participants besides the link's owner.", range: 0...49),
    "username": "The username of the link's owner; absent if that is not shown.",
    "nickname": "The nickname of the link's owner; absent if that is not shown or there is none.",
  ]
}

/// Reads the completed task of a public link (TASK-6). The answer is the same for a link that was revoked, never existed or was closed by
/// moderators, and for one whose owner, or whose task's creator, is suspended or deleted; also for a task that is not completed, until it
/// is again.
public enum GetPublicTask: OpenOperation {
  /// By which link.
  public struct Input: Document, Hashable {
    /// The link's key.
    public var key: String

    /// The input from its parts.
    public init(key: String) { self.key = key }

    public static let notes: Notes = ["key": Note("The link's key.", length: 1...200)]
  }

  public typealias Output = PublicTask

  public static let spec = OperationSpec(
    "publicTasks.get", of: .social, .get("/v1/public-tasks/{key}"), by: .anyone, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-6"],
    "Returns the completed task behind a public link; `not_found` for a link that does not work.")
}

/// The tasks on an account's public profile: the newest with a link that shows its owner (TASK-6).
public enum GetTaskProfilePart: ProfilePartOperation {
  public typealias Input = ProfilePartInput
  public typealias Output = ProfilePart

  public static let spec = OperationSpec(
    "taskLinks.getProfilePart", of: .social, nil, by: .services([.gateway]), effect: .read, requirements: ["TASK-6"],
    "Returns the tasks that the page of an account's public profile shows.")
}
