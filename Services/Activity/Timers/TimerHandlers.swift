import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// Timers: started, stopped, read, and saved as an entry or discarded.
struct TimerHandlers: Sendable {
  let calendars: AccountCalendars

  func start(_ input: StartTimer.Input, _ call: AccountCall, _ transaction: Transaction) throws -> ActivityTimer {
    let (account, database) = (call.account, transaction.database)
    var clock: TimerClock
    if let found = try TimerStore.find(input.activityID, of: account, in: database) {
      clock = found
    } else {
      let (goal, today) = try calendars.goal(input.activityID, .today, call, transaction)
      guard goal.measure.kind == .duration else { throw TimerFailure.notForGoal }
      try goal.requireOpen(today: today)
      clock = TimerClock(day: today)
    }
    clock.start(at: transaction.now)
    try TimerStore.put(clock, input.activityID, of: account, in: database)
    try ReminderStore.withdraw(input.activityID, clock.day...clock.day, of: account, transaction)
    return try TimerStore.shown(clock, input.activityID, of: account, at: transaction.now, in: database)
  }

  func stop(_ input: StopTimer.Input, _ call: AccountCall, _ transaction: Transaction) throws -> ActivityTimer {
    let (account, database) = (call.account, transaction.database)
    var clock = try timer(input.activityID, call, in: database)
    clock.stop(at: transaction.now)
    try TimerStore.put(clock, input.activityID, of: account, in: database)
    return try TimerStore.shown(clock, input.activityID, of: account, at: transaction.now, in: database)
  }

  func save(_ input: SaveTimer.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Entry {
    let (account, database) = (call.account, transaction.database)
    let clock = try timer(input.activityID, call, in: database)
    let (goal, today) = try calendars.goal(input.activityID, .day(clock.day), call, transaction)
    guard goal.measure.kind == .duration else { throw TimerFailure.notForGoal }
    let seconds = clock.seconds(at: transaction.now)
    let entry = try EntryStore.change(goal, of: account, today: max(today, clock.day), transaction) { measure, progress in
      min((progress ?? 0) + seconds, measure.maximum)
    }
    try TimerStore.remove(input.activityID, in: database)
    return entry.entry(of: goal)
  }

  func discard(_ input: DiscardTimer.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    // Another account's activity is not found.
    let (goal, _) = try calendars.goal(input.activityID, .today, call, transaction)
    try TimerStore.remove(goal.activity, in: transaction.database)
    return Empty()
  }

  func get(_ input: GetTimer.Input, _ call: AccountCall, _ database: Database) throws -> ActivityTimer {
    let clock = try timer(input.activityID, call, in: database)
    return try TimerStore.shown(clock, input.activityID, of: call.account, at: call.now, in: database)
  }

  func list(_ input: ListTimers.Input, _ call: AccountCall, _ database: Database) throws -> Page<ActivityTimer> {
    try TimerStore.list(of: call.account, call.page(input), at: call.now, in: database)
  }

  /// The timer of the caller's activity.
  ///
  /// - Throws: `activity_not_found` where there is no such activity, `timer_not_found` where it has no timer.
  private func timer(_ activity: ActivityID, _ call: AccountCall, in database: Database) throws -> TimerClock {
    if let clock = try TimerStore.find(activity, of: call.account, in: database) { return clock }
    _ = try calendars.goal(activity, .today, call, in: database)
    throw TimerFailure.notFound
  }
}
