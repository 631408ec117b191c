import ActivityContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Serves a day's list.
  mutating func serveDays(_ calendars: AccountCalendars) {
    serve(GetDay.self, prepare: calendars.prepare) { input, _, call, database in
      let account = try call.account
      let calendar = try calendars.calendar(of: account, in: database)
      let today = calendar.day(of: call.now)
      let filters = DayFilters(title: input.title, category: input.category, goalKind: input.goalKind)
      return try Days.plan(of: account, day: input.day.resolved(today: today), filters, today: today, calendar, in: database)
    }
  }
}
