import ActivityContract
import GRDB
import Operations
import ServiceKit

/// A day's list.
struct DayHandlers: Sendable {
  let calendars: AccountCalendars

  func get(_ input: GetDay.Input, _ call: AccountCall, _ database: Database) throws -> GetDay.Output {
    let days = try calendars.days(of: call.account, now: call.now, in: database)
    let filters = DayFilters(title: input.title, category: input.category, goalKind: input.goalKind)
    return try DayStore.plan(of: days, day: input.day.resolved(today: days.today), filters, in: database)
  }
}
