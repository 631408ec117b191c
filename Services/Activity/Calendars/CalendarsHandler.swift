import ActivityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the calendar of an activity.
  mutating func serveCalendars(_ calendars: AccountCalendars) {
    serve(GetCalendar.self, prepare: calendars.prepare) { input, _, call, database in
      let account = try call.account
      try Activities.require(input.activityID, of: account, in: database)
      let calendar = try calendars.calendar(of: account, in: database)
      let today = calendar.day(of: call.now)
      let format = input.format ?? .month
      let range = CalendarRange(format, around: (input.day ?? .today).resolved(today: today))
      return ActivityCalendar(
        format, range, try Plans.find(input.activityID, of: account, calendar, in: database),
        try Entries.progress(
          of: input.activityID, from: range.days.lowerBound.monday, to: range.days.upperBound.sunday, in: database),
        today: today)
    }
  }
}
