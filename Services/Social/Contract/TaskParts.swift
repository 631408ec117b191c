public import Operations

extension FeatureContract {
  static let taskParts = FeatureContract(
    operations: [CreateTaskPart.self, UpdateTaskPart.self, DeleteTaskPart.self, CompleteTaskPart.self, ReopenTaskPart.self])
}

/// A part of a task, which can be assigned to one participant (TASK-1).
///
/// The task's creator makes, changes, assigns and removes parts. An assigned part is marked as done, and reopened, by its assignee alone;
/// an unassigned one by any participant. Parts are independent of the participants' completions: a participant who has done a part still
/// has to confirm.
public struct TaskPart: Document, Hashable {
  /// Names the part.
  public var id: ID<TaskPart>
  /// What it is called.
  public var title: TaskName
  /// What is to be done.
  public var description: TaskDescription?
  /// The assignee; nil for an unassigned part.
  public var assignee: TaskPerson?
  /// When it was marked as done; nil while it is not.
  public var doneAt: Instant?
  /// Who did that; nil once that account was deleted, too.
  public var doneBy: TaskPerson?
  /// Whether the caller may mark it as done, or take that back.
  public var canComplete: Bool

  /// The part from its parts.
  public init(
    id: ID<TaskPart>, title: TaskName, description: TaskDescription?, assignee: TaskPerson?, doneAt: Instant?,
    doneBy: TaskPerson?, canComplete: Bool
  ) {
    self.id = id
    self.title = title
    self.description = description
    self.assignee = assignee
    self.doneAt = doneAt
    self.doneBy = doneBy
    self.canComplete = canComplete
  }

  public static let notes: Notes = [
    "id": "Id of the part.", "title": "Its title.", "description": "What is to be done.",
    "assignee": "The participant to whom it is assigned; absent if any participant can do it.",
    "doneAt": "When it was marked as done; absent if it is not.",
    "doneBy": "The account that marked it as done; absent once it was deleted.",
    "canComplete": "Whether the caller may mark it as done, or take that back if it is.",
  ]
}

/// Why a part is not made or changed.
public enum TaskPartFailure: String, FailureCode {
  /// The task has as many parts as one may have.
  case tooMany = "too_many_task_parts"

  public var status: Int { 409 }
}

/// What is said of parts' fields.
enum TaskPartNotes {
  static let task = "The task."
  static let part = "The part."
  static let title = Note("What to call the part: 1 to 100 characters.")
  static let description = "What is to be done: up to 2,000 characters, line breaks allowed"
  static let assignee = "The account of the participant to whom it is assigned, who is notified"
}

/// Adds a part to an open task, by its creator (TASK-1).
public enum CreateTaskPart: AccountOperation {
  /// The part's texts and assignee.
  public struct Input: Document {
    public var taskID: ID<SharedTask>
    /// What it is called.
    public var title: TaskName
    /// What is to be done.
    public var description: TaskDescription?
    /// Whose it is.
    public var assigneeID: AccountID?

    /// The input from its parts.
    public init(taskID: ID<SharedTask>, title: TaskName, description: TaskDescription? = nil, assigneeID: AccountID? = nil) {
      self.taskID = taskID
      self.title = title
      self.description = description
      self.assigneeID = assigneeID
    }

    public static let notes: Notes = [
      "taskID": Note(TaskPartNotes.task), "title": TaskPartNotes.title, "description": Note("\(TaskPartNotes.description)."),
      "assigneeID": Note("\(TaskPartNotes.assignee); nobody in particular if absent."),
    ]
  }

  public typealias Output = TaskPart

  public static let spec = OperationSpec(
    "taskParts.create", of: .social, .post("/v1/tasks/{taskID}/parts"), by: .verifiedAccount, effect: .create,
    failures: TaskRefusals.ofCreator + [
      TaskFailure.completed.kind, TaskFailure.cancelled.kind, TaskFailure.spaceFull.kind, TaskPartFailure.tooMany.kind,
    ],
    requirements: ["TASK-1"], "Adds a part to an open task that the caller created; a task has at most 50.")
}

/// Changes the text or the assignee of a part of an open task, by the task's creator (TASK-1). Absent fields stay unchanged.
public enum UpdateTaskPart: AccountOperation {
  /// What is to be changed.
  public struct Input: Document {
    public var taskID: ID<SharedTask>
    public var partID: ID<TaskPart>
    /// What it is called.
    public var title: Patch<TaskName>
    /// What is to be done.
    public var description: Patch<TaskDescription?>
    /// Whose it is.
    public var assigneeID: Patch<AccountID?>

    /// The input from its parts.
    public init(
      taskID: ID<SharedTask>, partID: ID<TaskPart>, title: Patch<TaskName> = .keep,
      description: Patch<TaskDescription?> = .keep, assigneeID: Patch<AccountID?> = .keep
    ) {
      self.taskID = taskID
      self.partID = partID
      self.title = title
      self.description = description
      self.assigneeID = assigneeID
    }

    public static let notes: Notes = [
      "taskID": Note(TaskPartNotes.task), "partID": Note(TaskPartNotes.part), "title": TaskPartNotes.title,
      "description": Note("\(TaskPartNotes.description); null removes it."),
      "assigneeID": Note("\(TaskPartNotes.assignee); null assigns it to nobody in particular."),
    ]
  }

  public typealias Output = TaskPart

  public static let spec = OperationSpec(
    "taskParts.update", of: .social, .patch("/v1/tasks/{taskID}/parts/{partID}"), by: .verifiedAccount, effect: .write,
    failures: TaskRefusals.ofCreator + [TaskFailure.completed.kind, TaskFailure.cancelled.kind, TaskFailure.spaceFull.kind],
    requirements: ["TASK-1"], "Changes, assigns or unassigns a part of an open task that the caller created.")
}

/// Which part of which task.
public struct NamedTaskPart: Document, Hashable {
  public var taskID: ID<SharedTask>
  public var partID: ID<TaskPart>

  /// The input from its parts.
  public init(taskID: ID<SharedTask>, partID: ID<TaskPart>) {
    self.taskID = taskID
    self.partID = partID
  }

  public static let notes: Notes = ["taskID": Note(TaskPartNotes.task), "partID": Note(TaskPartNotes.part)]
}

/// Removes a part of an open task, by the task's creator (TASK-1).
public enum DeleteTaskPart: AccountOperation {
  public typealias Input = NamedTaskPart
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "taskParts.delete", of: .social, .delete("/v1/tasks/{taskID}/parts/{partID}"), by: .account, effect: .write,
    failures: TaskRefusals.ofCreator + [TaskFailure.completed.kind, TaskFailure.cancelled.kind], requirements: ["TASK-1"],
    "Removes a part of an open task that the caller created.")
}

/// Marks a part of an open task as done: by its assignee or, if it is unassigned, by any participant (TASK-1). Repeating it changes
/// nothing.
public enum CompleteTaskPart: AccountOperation {
  public typealias Input = NamedTaskPart
  public typealias Output = TaskPart

  public static let spec = OperationSpec(
    "taskParts.complete", of: .social, .post("/v1/tasks/{taskID}/parts/{partID}/completion"), by: .account, effect: .write,
    failures: TaskRefusals.ofCreator + [TaskFailure.completed.kind, TaskFailure.cancelled.kind], requirements: ["TASK-1"],
    "Marks a part of a task as done, if it is assigned to the caller or to nobody.")
}

/// Reopens a part of an open task, by an account that may mark it as done (TASK-1). If it is not done, nothing changes.
public enum ReopenTaskPart: AccountOperation {
  public typealias Input = NamedTaskPart
  public typealias Output = TaskPart

  public static let spec = OperationSpec(
    "taskParts.reopen", of: .social, .delete("/v1/tasks/{taskID}/parts/{partID}/completion"), by: .account, effect: .write,
    failures: TaskRefusals.ofCreator + [TaskFailure.completed.kind, TaskFailure.cancelled.kind], requirements: ["TASK-1"],
    "Marks a part of a task as not done, if it is assigned to the caller or to nobody.")
}
