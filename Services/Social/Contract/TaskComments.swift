public import Operations

extension FeatureContract {
  static let taskComments = FeatureContract(
    operations: [CreateTaskComment.self, ListTaskComments.self, RemoveTaskComment.self],
    events: [TaskCommentCreated.self, TaskCommentRemoved.self, TaskCommentRestored.self])
}

/// A participant's comment on a task, as another participant sees it (TASK-2, UC5).
///
/// A removed comment has no text and keeps its position. The comments of a deleted account are gone.
public struct TaskComment: Document, Hashable {
  /// Names the comment.
  public var id: ID<TaskComment>
  /// The task.
  public var taskID: ID<SharedTask>
  /// Who wrote it.
  public var author: TaskPerson
  /// The text; nil if the comment was removed.
  public var text: ChatText?
  /// The request for help, or the offer, that it answers.
  public var helpID: ID<TaskHelp>?
  /// When it was written.
  public var createdAt: Instant
  /// When it was removed; nil while it is there.
  public var removedAt: Instant?
  /// Whether the caller has blocked the author, so that the text is shown only on request.
  public var isFolded: Bool

  /// The comment from its parts.
  public init(
    id: ID<TaskComment>, taskID: ID<SharedTask>, author: TaskPerson, text: ChatText?, helpID: ID<TaskHelp>?,
    createdAt: Instant, removedAt: Instant?, isFolded: Bool
  ) {
    self.id = id
    self.taskID = taskID
    self.author = author
    self.text = text
    self.helpID = helpID
    self.createdAt = createdAt
    self.removedAt = removedAt
    self.isFolded = isFolded
  }

  public static let notes: Notes = [
    "id": "Id of the comment.", "taskID": "The task.", "author": "The account that wrote it.",
    "text": "The text; absent if it was removed.", "helpID": "The request for help, or the offer of help, that it answers.",
    "createdAt": "When it was written.",
    "removedAt": "When it was removed; absent if it was not.",
    "isFolded": "Whether the caller has blocked its author: to be shown only when the person asks for it.",
  ]
}

/// Comments on a task in which the caller takes part (TASK-2, UC5). Repeated with its idempotency key, a comment is there once.
public enum CreateTaskComment: AccountOperation {
  /// On which task, and what.
  public struct Input: Document {
    /// Names the task.
    public var taskID: ID<SharedTask>
    /// What to say.
    public var text: ChatText
    /// The request for help, or the offer, that it answers.
    public var helpID: ID<TaskHelp>?

    /// The input from its parts.
    public init(taskID: ID<SharedTask>, text: ChatText, helpID: ID<TaskHelp>? = nil) {
      self.taskID = taskID
      self.text = text
      self.helpID = helpID
    }

    public static let notes: Notes = [
      "taskID": "The task.", "text": "The text: 1 to 2,000 characters, line breaks allowed.",
      "helpID": "The request for help, or the offer of help, in the same task that it answers.",
    ]
  }

  public typealias Output = TaskComment

  public static let spec = OperationSpec(
    "taskComments.create", of: .social, .post("/v1/tasks/{taskID}/comments"), by: .verifiedAccount, effect: .create,
    failures: [RequestFailure.notFound.kind, TaskFailure.cancelled.kind, TaskFailure.spaceFull.kind],
    requirements: ["TASK-2"], "Comments on a task that the caller takes part in, unless it was cancelled.")
}

/// The comments on a task: the newest first page by page, and in each page the newest last (TASK-2, UC5).
public enum ListTaskComments: AccountOperation {
  /// Of which task.
  public struct Input: ListInput {
    /// Names the task.
    public var taskID: ID<SharedTask>
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(taskID: ID<SharedTask>, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.taskID = taskID
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["taskID": "The task."])
  }

  public typealias Output = Page<TaskComment>

  public static let spec = OperationSpec(
    "taskComments.list", of: .social, .get("/v1/tasks/{taskID}/comments"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-2"],
    """
    Lists the comments on a task that the caller takes part in: the newest page first, within a page the oldest first; \
    `nextCursor` leads to earlier ones.
    """)
}

/// Removes a comment of the caller's own (TASK-2). That it was there stays to be seen. Removing it again changes nothing.
public enum RemoveTaskComment: AccountOperation {
  /// Which comment.
  public struct Input: Document {
    /// Names the task.
    public var taskID: ID<SharedTask>
    /// Names the comment.
    public var commentID: ID<TaskComment>

    /// The input from its parts.
    public init(taskID: ID<SharedTask>, commentID: ID<TaskComment>) {
      self.taskID = taskID
      self.commentID = commentID
    }

    public static let notes: Notes = ["taskID": "The task.", "commentID": "The comment."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "taskComments.remove", of: .social, .delete("/v1/tasks/{taskID}/comments/{commentID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind, RequestFailure.forbidden.kind], requirements: ["TASK-2"],
    "Removes the caller's own comment.")
}

// MARK: - Events

/// A comment was added to a task: one event for each participant, with the comment as that participant sees it (TASK-2).
public struct TaskCommentCreated: Event, Hashable {
  /// For whom the event is: a participant, or the author for its other devices.
  public var accountID: AccountID
  public var taskName: TaskName
  public var comment: TaskComment

  /// The event from its parts.
  public init(accountID: AccountID, taskName: TaskName, comment: TaskComment) {
    self.accountID = accountID
    self.taskName = taskName
    self.comment = comment
  }

  public static let notes: Notes = [
    "accountID": "The account that receives the event: a participant, or the author for its other devices.",
    "taskName": "The task's name.", "comment": "The comment as that account sees it.",
  ]

  public static let spec = EventSpec(
    "taskComments.created", by: .social, isLive: true, requirements: ["TASK-2"],
    "Somebody commented on a task; one event for each participant.")
}

/// A comment that moderators had removed was restored, since an appeal was granted: one event for each participant, with the comment as
/// that participant sees it (TASK-2, SOC-8).
public struct TaskCommentRestored: Event, Hashable {
  /// For whom the event is: a participant, or the author for its other devices.
  public var accountID: AccountID
  public var taskName: TaskName
  public var comment: TaskComment

  /// The event from its parts.
  public init(accountID: AccountID, taskName: TaskName, comment: TaskComment) {
    self.accountID = accountID
    self.taskName = taskName
    self.comment = comment
  }

  public static let notes: Notes = [
    "accountID": "The account that receives the event: a participant, or the author for its other devices.",
    "taskName": "The task's name.", "comment": "The comment as that account sees it.",
  ]

  public static let spec = EventSpec(
    "taskComments.restored", by: .social, isLive: true, requirements: ["TASK-2", "SOC-8"],
    "A comment on a task that moderators had removed was restored; one event for each participant.")
}

/// A comment was removed, by its author or by moderators: one event for each participant (TASK-2, SOC-8).
public struct TaskCommentRemoved: Event, Hashable {
  /// For whom the event is: a participant, or the author for its other devices.
  public var accountID: AccountID
  public var taskID: ID<SharedTask>
  public var taskName: TaskName
  public var commentID: ID<TaskComment>
  public var authorAccountID: AccountID
  public var authorUsername: Username?
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, taskID: ID<SharedTask>, taskName: TaskName, commentID: ID<TaskComment>, authorAccountID: AccountID,
    authorUsername: Username?, at: Instant
  ) {
    self.accountID = accountID
    self.taskID = taskID
    self.taskName = taskName
    self.commentID = commentID
    self.authorAccountID = authorAccountID
    self.authorUsername = authorUsername
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account that receives the event: a participant, or the author for its other devices.",
    "taskID": "The task.",
    "taskName": "The task's name.", "commentID": "The comment.", "authorAccountID": "The account that wrote it.",
    "authorUsername": "The author's username at that time; absent if it is not shown to that account.",
    "at": "When it was removed.",
  ]

  public static let spec = EventSpec(
    "taskComments.removed", by: .social, isLive: true, requirements: ["TASK-2"], "A comment on a task was removed.")
}
