import ActivityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the bar chart of an activity.
  mutating func serveSeries(_ calendars: AccountCalendars) {
    serve(GetSeries.self, prepare: calendars.prepare) { input, _, call, database in
      let account = try call.account
      try Activities.require(input.activityID, of: account, in: database)
      let calendar = try calendars.calendar(of: account, in: database)
      let today = calendar.day(of: call.now)
      let period = input.period ?? .week
      let range = CalendarRange(period, around: (input.day ?? .today).resolved(today: today))
      return ActivitySeries(
        period, range, try Plans.find(input.activityID, of: account, calendar, in: database),
        try Entries.progress(of: input.activityID, from: range.days.lowerBound, to: range.days.upperBound, in: database),
        today: today)
    }
  }
}
