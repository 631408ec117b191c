import ActivityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the making and reading of activities.
  mutating func serveActivities(_ calendars: AccountCalendars) {
    serve(CreateActivity.self, prepare: calendars.prepare) { input, _, call, transaction in
      let account = try call.account
      let today = try calendars.calendar(of: account, in: transaction.database).day(of: transaction.now)
      let startDay = input.startDay ?? today
      if let endDay = input.endDay, endDay < startDay {
        throw Failure.field("endDay", PlannableDays.mayNotEndBefore(startDay))
      }
      let activity = Activity(
        id: ActivityID(), title: input.title.trimmed,
        reason: input.reason.map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 },
        category: input.category, goal: GoalMeasure(input.goal).goal(unit: input.goal.unit),
        schedule: PlannedDays(input.schedule, anchor: startDay).schedule, startDay: startDay, endDay: input.endDay,
        createdAt: transaction.now)
      try Activities.add(activity, of: account, transaction)
      return activity
    }

    serve(ListActivities.self) { input, call, database in
      try Activities.list(of: call.account, call.page(input), in: database)
    }

    serve(GetActivity.self, prepare: calendars.prepare) { input, _, call, database in
      let account = try call.account
      let activity = try Activities.find(input.activityID, of: account, in: database)
      let calendar = try calendars.calendar(of: account, in: database)
      let today = calendar.day(of: call.now)
      let (streak, strength) = StreakRule.record(
        try Plans.find(activity.id, of: account, calendar, in: database), try Entries.progress(of: activity.id, in: database),
        today: today)
      return ActivityDetails(
        activity: activity, streak: streak, strength: strength.rounded(toPlaces: 3),
        pauses: try Pauses.list(of: activity.id, in: database))
    }
  }
}
