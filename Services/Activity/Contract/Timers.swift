public import Operations

extension FeatureContract {
  static let timers = FeatureContract(
    operations: [StartTimer.self, StopTimer.self, SaveTimer.self, DiscardTimer.self, GetTimer.self, ListTimers.self])
}

/// A timer for an activity with a duration goal. It runs on the server: any device of the account starts, stops and saves it (ACT-7).
public struct ActivityTimer: Document, Hashable {
  /// The activity.
  public var activityID: ActivityID
  /// The day to which the time will be added: the one on which the timer was first started.
  public var day: LocalDay
  /// Since when the timer runs; absent while it is stopped.
  public var runningSince: Instant?
  /// The total time of all its runs.
  public var elapsedSeconds: Int
  /// The time already saved for the day.
  public var savedSeconds: Int
  /// What remains of the day's goal once the timer's time is saved; 0 where the goal is reached.
  public var remainingSeconds: Int

  /// A timer from its parts.
  public init(
    activityID: ActivityID, day: LocalDay, runningSince: Instant?, elapsedSeconds: Int, savedSeconds: Int, remainingSeconds: Int
  ) {
    self.activityID = activityID
    self.day = day
    self.runningSince = runningSince
    self.elapsedSeconds = elapsedSeconds
    self.savedSeconds = savedSeconds
    self.remainingSeconds = remainingSeconds
  }

  public static let notes: Notes = [
    "activityID": "The activity.", "day": "The day to which its time is added: the one on which it was first started.",
    "runningSince": "Since when it runs; absent while it is stopped.",
    "elapsedSeconds": Note("The timer's time, from all its runs.", example: 754),
    "savedSeconds": "The day's time that has been saved already.",
    "remainingSeconds": "What remains of the day's goal once the timer's time is saved; 0 if the goal is reached.",
  ]
}

/// Names the timer of an activity, which has at most one.
public struct TimerName: Document, Hashable {
  /// Names the activity.
  public var activityID: ActivityID

  /// The name from its parts.
  public init(activityID: ActivityID) { self.activityID = activityID }

  public static let notes: Notes = ["activityID": "Id of the activity."]
}

/// Ways in which a timer's operation can fail.
public enum TimerFailure: String, FailureCode {
  /// The activity's timer was not started, or was already saved or discarded.
  case notFound = "timer_not_found"
  /// The activity's goal is not a duration.
  case notForGoal = "timer_not_for_goal"

  public var status: Int {
    switch self {
    case .notFound: 404
    case .notForGoal: 409
    }
  }
}

/// Starts the timer of an activity that is planned today, or resumes a stopped one (ACT-7; H CU-29 5c). A running timer is not changed.
public enum StartTimer: AccountOperation {
  public typealias Input = TimerName
  public typealias Output = ActivityTimer

  public static let spec = OperationSpec(
    "timers.start", of: .activity, .post("/v1/activities/{activityID}/timer/start"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, TimerFailure.notForGoal.kind] + EntryFailure.ofWriting,
    requirements: ["ACT-7"], "Starts an activity's timer, or resumes one that was stopped.")
}

/// Stops an activity's timer, which keeps its time until it is saved (ACT-7; H CU-29 5c.2). A stopped timer is not changed.
public enum StopTimer: AccountOperation {
  public typealias Input = TimerName
  public typealias Output = ActivityTimer

  public static let spec = OperationSpec(
    "timers.stop", of: .activity, .post("/v1/activities/{activityID}/timer/stop"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, TimerFailure.notFound.kind], requirements: ["ACT-7"],
    "Stops an activity's timer; it keeps its time until that is saved.")
}

/// Adds a timer's time to its day's entry and removes the timer, in one transaction (ACT-7; H CU-29 5c.4).
public enum SaveTimer: AccountOperation {
  public typealias Input = TimerName
  public typealias Output = Entry

  public static let spec = OperationSpec(
    "timers.save", of: .activity, .post("/v1/activities/{activityID}/timer/save"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, TimerFailure.notFound.kind, TimerFailure.notForGoal.kind] + EntryFailure.ofWriting,
    requirements: ["ACT-7"], "Adds a timer's time to the progress of the day on which it was started, and removes the timer.")
}

/// Removes a timer without saving its time. Idempotent.
public enum DiscardTimer: AccountOperation {
  public typealias Input = TimerName
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "timers.discard", of: .activity, .delete("/v1/activities/{activityID}/timer"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-7"], "Removes a timer without saving its time.")
}

/// Returns an activity's timer.
public enum GetTimer: AccountOperation {
  public typealias Input = TimerName
  public typealias Output = ActivityTimer

  public static let spec = OperationSpec(
    "timers.get", of: .activity, .get("/v1/activities/{activityID}/timer"), by: .account, effect: .read,
    failures: [ActivityFailure.notFound.kind, TimerFailure.notFound.kind], requirements: ["ACT-7"],
    "Returns an activity's timer.")
}

/// Lists the account's timers, so that another device finds those that run.
public enum ListTimers: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<ActivityTimer>

  public static let spec = OperationSpec(
    "timers.list", of: .activity, .get("/v1/timers"), by: .account, effect: .read, requirements: ["ACT-7"],
    "Lists the caller's timers, running or stopped and not yet saved.")
}
