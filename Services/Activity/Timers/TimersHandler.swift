import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves timers.
  mutating func serveTimers(_ calendars: AccountCalendars) {
    serve(StartTimer.self, prepare: calendars.prepare) { input, _, call, transaction in
      let (account, database) = (try call.account, transaction.database)
      var clock: TimerClock
      if let found = try Timers.find(input.activityID, of: account, in: database) {
        clock = found
      } else {
        let (goal, today) = try calendars.goal(input.activityID, .today, call, transaction)
        guard goal.measure.kind == .duration else { throw TimerFailure.notForGoal }
        try goal.requireOpen(today: today)
        clock = TimerClock(day: today)
      }
      clock.start(at: transaction.now)
      try Timers.put(clock, input.activityID, of: account, in: database)
      return try Timers.shown(clock, input.activityID, of: account, at: transaction.now, in: database)
    }

    serve(StopTimer.self, prepare: calendars.prepare) { input, _, call, transaction in
      let (account, database) = (try call.account, transaction.database)
      var clock = try calendars.timer(input.activityID, call, in: database)
      clock.stop(at: transaction.now)
      try Timers.put(clock, input.activityID, of: account, in: database)
      return try Timers.shown(clock, input.activityID, of: account, at: transaction.now, in: database)
    }

    serve(SaveTimer.self, prepare: calendars.prepare) { input, _, call, transaction in
      let (account, database) = (try call.account, transaction.database)
      let clock = try calendars.timer(input.activityID, call, in: database)
      let (goal, today) = try calendars.goal(input.activityID, .day(clock.day), call, transaction)
      guard goal.measure.kind == .duration else { throw TimerFailure.notForGoal }
      let seconds = clock.seconds(at: transaction.now)
      let entry = try Entries.change(goal, of: account, today: max(today, clock.day), transaction) { measure, progress in
        min((progress ?? 0) + seconds, measure.maximum)
      }
      try Timers.remove(input.activityID, in: database)
      return entry
    }

    serve(DiscardTimer.self, prepare: calendars.prepare) { input, _, call, transaction in
      // Another account's activity is not found.
      let (goal, _) = try calendars.goal(input.activityID, .today, call, transaction)
      try Timers.remove(goal.activity, in: transaction.database)
      return Empty()
    }

    serve(GetTimer.self, prepare: calendars.prepare) { input, _, call, database in
      let clock = try calendars.timer(input.activityID, call, in: database)
      return try Timers.shown(clock, input.activityID, of: call.account, at: call.now, in: database)
    }

    serve(ListTimers.self, prepare: calendars.prepare) { input, _, call, database in
      try Timers.list(of: call.account, call.page(input), at: call.now, in: database)
    }
  }
}

extension AccountCalendars {
  /// The timer of the caller's activity.
  ///
  /// - Throws: `activity_not_found` where there is no such activity, `timer_not_found` where it has no timer.
  fileprivate func timer(_ activity: ActivityID, _ call: Call, in database: Database) throws -> TimerClock {
    if let clock = try Timers.find(activity, of: call.account, in: database) { return clock }
    _ = try goal(activity, .today, call, in: database)
    throw TimerFailure.notFound
  }
}
