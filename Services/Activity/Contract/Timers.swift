public import Operations

/// A clock for an activity with a duration goal, running on the server: any device of the account starts, stops and saves it (ACT-7).
public struct ActivityTimer: Document, Hashable {
  /// The activity.
  public var activityID: ActivityID
  /// The day to which its time will belong: the one on which it was first started.
  public var day: LocalDay
  /// Since when it runs; absent while it stands.
  public var runningSince: Instant?
  /// Time on it, from all its runs.
  public var elapsedSeconds: Int
  /// The day's time that is saved already.
  public var savedSeconds: Int
  /// What is left of the day's goal, once what is on the timer is saved; 0 where it is reached.
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
    "activityID": "The activity.", "day": "The day to which its time will belong: the one on which it was first started.",
    "runningSince": "Since when it runs; absent while it stands.",
    "elapsedSeconds": Note("Time on it, from all its runs.", example: 754),
    "savedSeconds": "The day's time that is saved already.",
    "remainingSeconds": "What is left of the day's goal, once what is on the timer is saved; 0 where it is reached.",
  ]
}

/// Names the timer of an activity, of which there is one at most.
public struct TimerName: Document, Hashable {
  /// Names the activity.
  public var activityID: ActivityID

  /// The name from its parts.
  public init(activityID: ActivityID) { self.activityID = activityID }

  public static let notes: Notes = ["activityID": "Names the activity."]
}

/// Ways in which asking for a timer can fail.
public enum TimerFailure: String, FailureCode {
  /// The activity's timer was not started, or is saved or discarded already.
  case notFound = "timer_not_found"
  /// The activity's goal is no duration.
  case notForGoal = "timer_not_for_goal"

  public var status: Int {
    switch self {
    case .notFound: 404
    case .notForGoal: 409
    }
  }
}

/// Starts the timer of an activity that is planned today, or lets one that stands go on (ACT-7; H CU-29 5c). One that runs goes on as it is.
public enum StartTimer: AccountOperation {
  public typealias Input = TimerName
  public typealias Output = ActivityTimer

  public static let spec = OperationSpec(
    "timers.start", of: .activity, .post("/v1/activities/{activityID}/timer/start"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, TimerFailure.notForGoal.kind] + EntryFailure.ofWriting,
    requirements: ["ACT-7"], "Start an activity's timer, or let one that was stopped go on.")
}

/// Stops an activity's timer; its time stays on it until it is saved (ACT-7; H CU-29 5c.2). One that stands stays as it is.
public enum StopTimer: AccountOperation {
  public typealias Input = TimerName
  public typealias Output = ActivityTimer

  public static let spec = OperationSpec(
    "timers.stop", of: .activity, .post("/v1/activities/{activityID}/timer/stop"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, TimerFailure.notFound.kind], requirements: ["ACT-7"],
    "Stop an activity's timer; its time stays on it until it is saved.")
}

/// Adds a timer's time to its day's entry and removes the timer, both or neither (ACT-7; H CU-29 5c.4).
public enum SaveTimer: AccountOperation {
  public typealias Input = TimerName
  public typealias Output = Entry

  public static let spec = OperationSpec(
    "timers.save", of: .activity, .post("/v1/activities/{activityID}/timer/save"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, TimerFailure.notFound.kind, TimerFailure.notForGoal.kind] + EntryFailure.ofWriting,
    requirements: ["ACT-7"], "Add a timer's time to the progress of the day on which it was started, and remove the timer.")
}

/// Removes a timer without saving its time. Repeating it changes nothing.
public enum DiscardTimer: AccountOperation {
  public typealias Input = TimerName
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "timers.discard", of: .activity, .delete("/v1/activities/{activityID}/timer"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-7"], "Remove a timer without saving its time.")
}

/// Shows an activity's timer.
public enum GetTimer: AccountOperation {
  public typealias Input = TimerName
  public typealias Output = ActivityTimer

  public static let spec = OperationSpec(
    "timers.get", of: .activity, .get("/v1/activities/{activityID}/timer"), by: .account, effect: .read,
    failures: [ActivityFailure.notFound.kind, TimerFailure.notFound.kind], requirements: ["ACT-7"],
    "Show an activity's timer.")
}

/// Lists the account's timers, so that another device finds what runs.
public enum ListTimers: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<ActivityTimer>

  public static let spec = OperationSpec(
    "timers.list", of: .activity, .get("/v1/timers"), by: .account, effect: .read, requirements: ["ACT-7"],
    "List the account's timers, running or stopped and not yet saved.")
}
