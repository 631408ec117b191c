import ActivityContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Serves a day's list.
  mutating func serveDays(_ calendars: AccountCalendars) {
    serve(GetDay.self, prepare: calendars.prepare) { input, _, call, database in
      let account = try call.account
      let days = try calendars.days(of: account, now: call.now, in: database)
      let filters = DayFilters(title: input.title, category: input.category, goalKind: input.goalKind)
      return try Days.plan(of: days, day: input.day.resolved(today: days.today), filters, in: database)
    }
  }
}
