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
      let days = try calendars.days(of: account, now: call.now, in: database)
      let format = input.format ?? .month
      let range = CalendarRange(format, around: (input.day ?? .today).resolved(today: days.today))
      return ActivityCalendar(
        format, range, try Plans.find(input.activityID, lostDays: days.lost, in: database),
        try Entries.progress(
          of: input.activityID, from: range.days.lowerBound.monday, to: range.days.upperBound.sunday, in: database),
        today: days.today)
    }
  }
}
