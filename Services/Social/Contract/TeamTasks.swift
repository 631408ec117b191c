public import Operations

extension FeatureContract {
  static let teamTasks = FeatureContract(operations: [ListTeamTasks.self, JoinTeamTask.self])
}

/// A task of a team, as one of the members sees it (TASK-1, TEAM-1).
public struct TeamTask: Document, Hashable {
  /// The task.
  public var task: SharedTask
  /// Whether the caller takes part.
  public var isParticipant: Bool
  /// Whether the caller can join it: while it is open, unless it was removed from it.
  public var canJoin: Bool

  /// The task from its parts.
  public init(task: SharedTask, isParticipant: Bool, wasRemoved: Bool = false) {
    self.task = task
    self.isParticipant = isParticipant
    canJoin = task.state == .open && !isParticipant && !wasRemoved
  }

  public static let notes: Notes = [
    "task": "The task.", "isParticipant": "Whether the caller takes part.",
    "canJoin": "Whether the caller can join it: while it is open, unless the caller was removed from it.",
  ]
}

/// Why a team has no more tasks.
public enum TeamTaskFailure: String, FailureCode {
  /// As many of the team are open as may.
  case tooMany = "too_many_team_tasks"
  /// The account responsible for the task has removed the caller from it, and is the only one that can enrol it again.
  case removed = "removed_from_task"

  public var status: Int { 409 }
}

/// Lists the tasks of the caller's team, including those in which the caller takes no part: open ones, then completed ones, each newest
/// first (TASK-2).
///
/// Tasks of accounts that have blocked the caller, or are blocked by it, are left out unless the caller takes part in them.
public enum ListTeamTasks: AccountOperation {
  /// Which of them.
  public struct Input: ListInput {
    /// Names the team.
    public var teamID: ID<Team>
    /// Only those in this state.
    public var state: TaskState?
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(teamID: ID<Team>, state: TaskState? = nil, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.teamID = teamID
      self.state = state
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes([
      "teamID": "The caller's team.",
      "state": "Only those in this state. Without it: those that are open, then those completed; cancelled ones are left out.",
    ])
  }

  public typealias Output = Page<TeamTask>

  public static let spec = OperationSpec(
    "teamTasks.list", of: .social, .get("/v1/teams/{teamID}/tasks"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-2", "TEAM-1"],
    """
    Lists the tasks of the caller's team, including those without the caller: those to do, then those completed, each newest \
    first.
    """)
}

/// Lets a member join an open task of its team, for example one made before the member came (TASK-1). Joining again changes nothing; a
/// member who has opted out may return by this, but one who was removed may not.
public enum JoinTeamTask: AccountOperation {
  /// Which task of which team.
  public struct Input: Document {
    public var teamID: ID<Team>
    public var taskID: ID<SharedTask>

    /// The input from its parts.
    public init(teamID: ID<Team>, taskID: ID<SharedTask>) {
      self.teamID = teamID
      self.taskID = taskID
    }

    public static let notes: Notes = ["teamID": "The caller's team.", "taskID": "One of its tasks."]
  }

  public typealias Output = TaskDetails

  public static let spec = OperationSpec(
    "teamTasks.join", of: .social, .post("/v1/teams/{teamID}/tasks/{taskID}/join"), by: .verifiedAccount, effect: .write,
    failures: [
      RequestFailure.notFound.kind, TaskFailure.completed.kind, TaskFailure.cancelled.kind, TaskFailure.tooManyParticipants.kind,
      TeamTaskFailure.removed.kind,
    ],
    requirements: ["TASK-1", "TEAM-1"], "Joins an open task of the caller's team.")
}
