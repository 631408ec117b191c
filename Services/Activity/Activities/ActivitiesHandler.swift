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
      let activity = Activity(
        id: ActivityID(), title: input.title.trimmed,
        reason: input.reason.map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 },
        category: input.category, goal: input.goal, schedule: PlannedDays(input.schedule).schedule,
        startDay: input.startDay ?? today, createdAt: transaction.now)
      try Activities.add(activity, of: account, transaction)
      return activity
    }

    serve(ListActivities.self) { input, call, database in
      try Activities.list(of: call.account, call.page(input), in: database)
    }

    serve(GetActivity.self, prepare: calendars.prepare) { input, _, call, database in
      let account = try call.account
      let activity = try Activities.find(input.activityID, of: account, in: database)
      let today = try calendars.calendar(of: account, in: database).day(of: call.now)
      let streak = StreakRule.streak(
        done: try Entries.doneDays(of: activity.id, in: database), planned: PlannedDays(activity.schedule),
        start: activity.startDay, today: today)
      return ActivityDetails(activity: activity, streak: streak)
    }
  }
}
