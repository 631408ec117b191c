public import Operations

extension FeatureContract {
  static let taskSeries = FeatureContract(
    operations: [
      CreateTaskSeries.self, ListTaskSeries.self, GetTaskSeries.self, UpdateTaskSeries.self, EndTaskSeries.self,
      OptOutOfTaskSeries.self,
    ],
    events: [TaskSeriesNoticeCreated.self])
}

/// A task that recurs on the days of a schedule, as one of its participants sees it (TASK-1).
///
/// Each planned day has one occurrence: a ``SharedTask`` with its own completions, comments and files, which is open from the beginning of
/// the day, in its creator's time zone. A missed occurrence can still be confirmed until more than two later ones have come; then it is
/// cancelled. Of the days on which the server was down, only the last one has an occurrence. Each occurrence copies the parts of the one
/// before it, none of them done.
///
/// The occurrences of a team's series belong to the team, as long as their creator is in the team: its current members take part in them.
public struct TaskSeries: Document, Hashable {
  /// Names the series.
  public var id: ID<TaskSeries>
  /// What each occurrence is called.
  public var name: TaskName
  /// What is to be done.
  public var description: TaskDescription?
  /// On which days.
  public var schedule: Schedule
  /// The first day on which it may be planned.
  public var startDay: LocalDay
  /// The last day; nil for a series without an end.
  public var endDay: LocalDay?
  /// Whether there are more to come.
  public var state: TaskSeriesState
  /// The day of the next occurrence; nil where there are no more.
  public var nextDay: LocalDay?
  /// The creator; nil once that account was deleted.
  public var creator: TaskPerson?
  /// Whether the caller made it.
  public var isCreator: Bool
  /// The participants of future occurrences, the creator first.
  public var participants: [TaskPerson]
  /// When it was made.
  public var createdAt: Instant
  /// The team whose own the occurrences are.
  public var teamID: ID<Team>?

  /// The series from its parts.
  public init(
    id: ID<TaskSeries>, name: TaskName, description: TaskDescription?, schedule: Schedule, startDay: LocalDay, endDay: LocalDay?,
    state: TaskSeriesState, nextDay: LocalDay?, creator: TaskPerson?, isCreator: Bool, participants: [TaskPerson],
    createdAt: Instant, teamID: ID<Team>? = nil
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.schedule = schedule
    self.startDay = startDay
    self.endDay = endDay
    self.state = state
    self.nextDay = nextDay
    self.creator = creator
    self.isCreator = isCreator
    self.participants = participants
    self.createdAt = createdAt
    self.teamID = teamID
  }

  public static let notes: Notes = [
    "id": "Id of the recurring task.", "name": "The name of each occurrence.", "description": "What is to be done.",
    "schedule": "The days on which it is planned.", "startDay": "The first day on which it may be planned.",
    "endDay": "The last day on which it may be planned; absent if it has no end.",
    "state": "`active`: more occurrences are to come; `ended`: no more.",
    "nextDay": "The day of the next occurrence, in its creator's time zone; absent if no more are to come.",
    "creator": "The account that created it; absent once it was deleted.", "isCreator": "Whether the caller created it.",
    "participants": "The participants of future occurrences, its creator first; at most 50.", "createdAt": "When it was created.",
    "teamID": "The team that the occurrences belong to; absent if there is none.",
  ]
}

/// Whether a recurring task goes on.
public enum TaskSeriesState: String, Choice {
  /// More occurrences are to come.
  case active
  /// By its creator or since that account was deleted, or since no planned day is left.
  case ended
}

/// Why a recurring task cannot be made or changed.
public enum TaskSeriesFailure: String, FailureCode {
  /// The series has ended: there are no more occurrences, and nothing of it changes.
  case ended = "task_series_ended"
  /// As many that the account made go on as may.
  case tooMany = "too_many_task_series"
  /// The creator ends it instead of leaving it.
  case creatorStays = "task_series_creator_stays"

  public var status: Int { 409 }
}

/// What is said of recurring tasks' fields.
enum TaskSeriesText {
  static let name = Note("What to call each occurrence: 1 to 100 characters.")
  static let endDay = "The last day on which it may be planned, not before the start day and up to 2199-12-31"

  /// Refuses schedules without days: a task is due on a day, and a number of times a week names none.
  static func check(_ schedule: Schedule?, _ fields: inout FieldChecks) {
    guard let schedule, fields.areRight("schedule") else { return }
    fields.expect(schedule.kind != .timesAWeek, "schedule", FieldRule("schedule_without_days"))
  }
}

/// Creates a recurring task for the caller and others (TASK-1). If today is a planned day, its first occurrence is open at once.
///
/// All problems are answered at once, as by ``CreateTask``. Each occurrence enrols people again, without those whom its creator may not
/// enrol on that day, because of their settings or blocks, or who are suspended then.
public enum CreateTaskSeries: AccountOperation {
  /// The texts, the participants and the schedule.
  public struct Input: Form {
    /// What each occurrence is called.
    public var name: TaskName
    /// What is to be done.
    public var description: TaskDescription?
    /// Who else takes part.
    public var participants: [Username]?
    /// On which days.
    public var schedule: Schedule
    /// The first day; today if absent.
    public var startDay: LocalDay?
    /// The last day, if there is one.
    public var endDay: LocalDay?
    /// The caller's team, whose members take part.
    public var teamID: ID<Team>?
    public var found = FoundProblems()

    private enum CodingKeys: String, CodingKey { case name, description, participants, schedule, startDay, endDay, teamID }

    /// The input from its parts.
    public init(
      name: TaskName, description: TaskDescription? = nil, participants: [Username]? = nil, schedule: Schedule,
      startDay: LocalDay? = nil, endDay: LocalDay? = nil, teamID: ID<Team>? = nil
    ) {
      self.name = name
      self.description = description
      self.participants = participants
      self.schedule = schedule
      self.startDay = startDay
      self.endDay = endDay
      self.teamID = teamID
    }

    public static let notes: Notes = [
      "name": TaskSeriesText.name, "description": "What is to be done: up to 2,000 characters, line breaks allowed.",
      "participants": TaskEnrollmentText.usernames,
      "schedule": "The days of its occurrences; all kinds of schedules but `timesAWeek`.",
      "startDay": "The first day on which it may be planned: today, in the caller's time zone, or later; today if absent.",
      "endDay": Note("\(TaskSeriesText.endDay); none if absent."),
      "teamID": """
      The caller's team: the occurrences belong to it. Everyone who is in it on the day of an occurrence takes part, except those who \
      have left the recurring task or are separated from its creator by a block.
      """,
    ]

    public func check(_ fields: inout FieldChecks) {
      TaskSeriesText.check(schedule, &fields)
      PlannableDays.check(startDay, "startDay", &fields)
      PlannableDays.check(endDay, "endDay", &fields)
      PlannableDays.checkOrder(("startDay", startDay), ("endDay", endDay), &fields)
    }
  }

  public typealias Output = TaskSeries

  public static let spec = OperationSpec(
    "taskSeries.create", of: .social, .post("/v1/task-series"), by: .verifiedAccount, effect: .create, rate: .registered,
    failures: [
      RequestFailure.notFound.kind, TaskSeriesFailure.tooMany.kind, TaskFailure.tooManyParticipants.kind,
      TaskFailure.spaceFull.kind,
    ],
    requirements: ["TASK-1"],
    "Creates a recurring task, with an occurrence on each day of a schedule; at most 100 that the caller created may be active.")
}

/// Lists the recurring tasks that the caller takes part in (TASK-1).
public enum ListTaskSeries: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<TaskSeries>

  public static let spec = OperationSpec(
    "taskSeries.list", of: .social, .get("/v1/task-series"), by: .account, effect: .read, requirements: ["TASK-1"],
    "Lists the recurring tasks that the caller takes part in, newest first.")
}

/// Which recurring task.
public struct NamedTaskSeries: Document, Hashable {
  /// Names the series.
  public var seriesID: ID<TaskSeries>

  /// The input from its parts.
  public init(seriesID: ID<TaskSeries>) { self.seriesID = seriesID }

  public static let notes: Notes = ["seriesID": "The recurring task."]
}

/// Shows a recurring task (TASK-1). To who does not take part it does not exist.
public enum GetTaskSeries: AccountOperation {
  public typealias Input = NamedTaskSeries
  public typealias Output = TaskSeries

  public static let spec = OperationSpec(
    "taskSeries.get", of: .social, .get("/v1/task-series/{seriesID}"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-1"], "Returns a recurring task that the caller takes part in.")
}

/// Changes the occurrences to come, by the series' creator (TASK-1). What is not given, and the occurrences that there are, stay as they
/// are.
public enum UpdateTaskSeries: AccountOperation {
  /// What is to be changed.
  public struct Input: Document {
    /// Names the series.
    public var seriesID: ID<TaskSeries>
    /// What each occurrence is called.
    public var name: Patch<TaskName>
    /// What is to be done.
    public var description: Patch<TaskDescription?>
    /// On which days.
    public var schedule: Patch<Schedule>
    /// The last day.
    public var endDay: Patch<LocalDay?>

    /// The input from its parts.
    public init(
      seriesID: ID<TaskSeries>, name: Patch<TaskName> = .keep, description: Patch<TaskDescription?> = .keep,
      schedule: Patch<Schedule> = .keep, endDay: Patch<LocalDay?> = .keep
    ) {
      self.seriesID = seriesID
      self.name = name
      self.description = description
      self.schedule = schedule
      self.endDay = endDay
    }

    public static let notes: Notes = [
      "seriesID": "The recurring task.", "name": TaskSeriesText.name,
      "description": Note("What is to be done: up to 2,000 characters, line breaks allowed; null removes it."),
      "schedule": Note("The days of its occurrences from today on; all kinds of schedules but `timesAWeek`."),
      "endDay": Note("\(TaskSeriesText.endDay); null removes it. With no planned day left the recurring task ends."),
    ]

    public func check(_ fields: inout FieldChecks) {
      TaskSeriesText.check(schedule.value, &fields)
      PlannableDays.check(endDay.value ?? nil, "endDay", &fields)
    }
  }

  public typealias Output = TaskSeries

  public static let spec = OperationSpec(
    "taskSeries.update", of: .social, .patch("/v1/task-series/{seriesID}"), by: .verifiedAccount, effect: .write,
    failures: TaskRefusals.ofCreator + [TaskSeriesFailure.ended.kind, TaskFailure.spaceFull.kind], requirements: ["TASK-1"],
    "Changes name, description, schedule and last day of a recurring task that the caller created, for future occurrences.")
}

/// Ends a recurring task, by its creator (TASK-1): there are no further occurrences, and existing ones stay. Ending it again changes
/// nothing.
public enum EndTaskSeries: AccountOperation {
  public typealias Input = NamedTaskSeries
  public typealias Output = TaskSeries

  public static let spec = OperationSpec(
    "taskSeries.end", of: .social, .post("/v1/task-series/{seriesID}/end"), by: .account, effect: .write,
    failures: TaskRefusals.ofCreator, requirements: ["TASK-1"],
    "Ends a recurring task that the caller created: its open occurrences stay, and there are no more.")
}

/// Leaves a recurring task in which another has enrolled the caller (TASK-3, UC6), and those of its open occurrences that the caller has
/// not confirmed. Only with `confirm: true`.
public enum OptOutOfTaskSeries: AccountOperation {
  /// Which one, and that it is meant.
  public struct Input: Document {
    /// Names the series.
    public var seriesID: ID<TaskSeries>
    /// Whether the person has confirmed it.
    public var confirm: Bool?

    /// The input from its parts.
    public init(seriesID: ID<TaskSeries>, confirm: Bool? = nil) {
      self.seriesID = seriesID
      self.confirm = confirm
    }

    public static let notes: Notes = [
      "seriesID": "The recurring task.",
      "confirm": Note("`true`: the person has confirmed that they no longer take part.", example: true),
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(confirm == true, "confirm", FieldRule("opt_out_not_confirmed"))
    }
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "taskSeries.optOut", of: .social, .post("/v1/task-series/{seriesID}/opt-out"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind, TaskSeriesFailure.creatorStays.kind], requirements: ["TASK-3"],
    "Leaves a recurring task in which somebody else has enrolled the caller; requires `confirm: true`.")
}

// MARK: - Events

/// The notices to participants of a recurring task.
public enum TaskSeriesNotice: String, Choice {
  /// It was enrolled.
  case enrolled
  /// It was removed.
  case removed
  /// Somebody opted out of what it made.
  case optedOut
  /// The creator ended it.
  case ended
}

/// Somebody is to be notified of something about a recurring task (TASK-1, TASK-3).
public struct TaskSeriesNoticeCreated: Event, Hashable {
  public var noticeID: ID<TaskSeriesNotice>
  public var accountID: AccountID
  public var seriesID: ID<TaskSeries>
  public var seriesName: TaskName
  public var notice: TaskSeriesNotice
  public var byAccountID: AccountID
  public var byUsername: Username
  public var at: Instant

  /// The event from its parts.
  public init(
    noticeID: ID<TaskSeriesNotice>, accountID: AccountID, seriesID: ID<TaskSeries>, seriesName: TaskName,
    notice: TaskSeriesNotice, byAccountID: AccountID, byUsername: Username, at: Instant
  ) {
    self.noticeID = noticeID
    self.accountID = accountID
    self.seriesID = seriesID
    self.seriesName = seriesName
    self.notice = notice
    self.byAccountID = byAccountID
    self.byUsername = byUsername
    self.at = at
  }

  public static let notes: Notes = [
    "noticeID": "Id of the notice.", "accountID": "The account to be notified.", "seriesID": "The recurring task.",
    "seriesName": "The name of its occurrences.", "notice": "What to notify of.", "byAccountID": "The account that did it.",
    "byUsername": "The username of the account that did it.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "taskSeriesNotices.created", formerly: "taskSeries.noticed", by: .social, requirements: ["TASK-1", "TASK-3"],
    "Somebody was enrolled in a recurring task or removed from it, opted out of it, or it was ended.")
}
