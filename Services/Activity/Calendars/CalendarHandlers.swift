import ActivityContract
import GRDB
import Operations
import ServiceKit

/// The calendar of an activity.
struct CalendarHandlers: Sendable {
  let calendars: AccountCalendars

  func get(_ input: GetCalendar.Input, _ call: AccountCall, _ database: Database) throws -> ActivityCalendar {
    let account = call.account
    try ActivityStore.require(input.activityID, of: account, in: database)
    let days = try calendars.days(of: account, now: call.now, in: database)
    let format = input.format ?? .month
    let range = CalendarRange(format, around: (input.day ?? .today).resolved(today: days.today))
    return ActivityCalendar(
      format, range, try PlanStore.find(input.activityID, lostDays: days.lost, in: database),
      try EntryStore.progress(
        of: input.activityID, from: range.days.lowerBound.monday, to: range.days.upperBound.sunday, in: database),
      today: days.today)
  }
}
