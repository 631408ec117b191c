public import Operations

extension FeatureContract {
  static let taskParticipants = FeatureContract(
    operations: [AddTaskParticipants.self, RemoveTaskParticipant.self, OptOutOfTask.self])
}

/// A participant of a task, with the participant's completion (TASK-2, UC7).
public struct TaskParticipant: Document, Hashable {
  /// Who it is.
  public var person: TaskPerson
  /// Whether it made the task.
  public var isCreator: Bool
  /// When it was enrolled.
  public var enrolledAt: Instant
  /// When it confirmed its completion; nil while it has not.
  public var confirmedAt: Instant?

  /// The participant from its parts.
  public init(person: TaskPerson, isCreator: Bool, enrolledAt: Instant, confirmedAt: Instant?) {
    self.person = person
    self.isCreator = isCreator
    self.enrolledAt = enrolledAt
    self.confirmedAt = confirmedAt
  }

  public static let notes: Notes = [
    "person": "The participant's account.", "isCreator": "Whether the participant created the task.",
    "enrolledAt": "When the participant was enrolled.",
    "confirmedAt": "When the participant confirmed completion; absent until then.",
  ]
}

/// Enrols more people in an open task, by its creator (TASK-1). Present participants stay as they are.
public enum AddTaskParticipants: AccountOperation {
  /// Whom, and in what.
  public struct Input: Form {
    /// Names the task.
    public var taskID: ID<SharedTask>
    /// Whom to enrol.
    public var participants: [Username]
    public var found = FoundProblems()

    private enum CodingKeys: String, CodingKey { case taskID, participants }

    /// The input from its parts.
    public init(taskID: ID<SharedTask>, participants: [Username]) {
      self.taskID = taskID
      self.participants = participants
    }

    public static let notes: Notes = ["taskID": "The task.", "participants": TaskEnrollmentText.usernames]
  }

  public typealias Output = TaskDetails

  public static let spec = OperationSpec(
    "taskParticipants.add", of: .social, .post("/v1/tasks/{taskID}/participants"), by: .verifiedAccount, effect: .write,
    failures: TaskRefusals.ofCreator + [
      TaskFailure.completed.kind, TaskFailure.cancelled.kind, TaskFailure.tooManyParticipants.kind,
    ],
    requirements: ["TASK-1"], "Enrols more people in an open task that the caller created.")
}

/// Removes a participant who has not confirmed from an open task, by its creator (TASK-5). The task is completed if all others have
/// confirmed.
public enum RemoveTaskParticipant: AccountOperation {
  /// Whom, and from what.
  public struct Input: Document {
    /// Names the task.
    public var taskID: ID<SharedTask>
    /// The participant to remove.
    public var accountID: AccountID

    /// The input from its parts.
    public init(taskID: ID<SharedTask>, accountID: AccountID) {
      self.taskID = taskID
      self.accountID = accountID
    }

    public static let notes: Notes = ["taskID": "The task.", "accountID": "The participant to remove."]
  }

  public typealias Output = TaskDetails

  public static let spec = OperationSpec(
    "taskParticipants.remove", of: .social, .delete("/v1/tasks/{taskID}/participants/{accountID}"), by: .account, effect: .write,
    failures: TaskRefusals.ofCreator + [
      TaskFailure.completed.kind, TaskFailure.cancelled.kind, TaskFailure.creatorStays.kind,
      TaskFailure.participantConfirmed.kind,
    ],
    requirements: ["TASK-5"], "Removes a participant who has not confirmed from an open task that the caller created.")
}

/// Leaves an open task in which another account has enrolled the caller (TASK-3, UC6). Only with `confirm: true`.
///
/// The caller's confirmation is withdrawn. The task is completed if all remaining participants have confirmed.
public enum OptOutOfTask: AccountOperation {
  /// Which task, and that it is meant.
  public struct Input: Document {
    /// Names the task.
    public var taskID: ID<SharedTask>
    /// Whether the person has confirmed it.
    public var confirm: Bool?

    /// The input from its parts.
    public init(taskID: ID<SharedTask>, confirm: Bool? = nil) {
      self.taskID = taskID
      self.confirm = confirm
    }

    public static let notes: Notes = [
      "taskID": "The task.",
      "confirm": Note("`true`: the person has confirmed that they no longer take part.", example: true),
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(confirm == true, "confirm", FieldRule("opt_out_not_confirmed"))
    }
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "tasks.optOut", of: .social, .post("/v1/tasks/{taskID}/opt-out"), by: .account, effect: .write,
    failures: [
      RequestFailure.notFound.kind, TaskFailure.completed.kind, TaskFailure.cancelled.kind, TaskFailure.creatorStays.kind,
    ],
    requirements: ["TASK-3"], "Leaves an open task in which somebody else has enrolled the caller; requires `confirm: true`.")
}
