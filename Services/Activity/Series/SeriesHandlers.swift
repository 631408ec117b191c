import ActivityContract
import GRDB
import Operations
import ServiceKit

/// The bar chart of an activity.
struct SeriesHandlers: Sendable {
  let calendars: AccountCalendars

  func get(_ input: GetSeries.Input, _ call: AccountCall, _ database: Database) throws -> ActivitySeries {
    let account = call.account
    try ActivityStore.require(input.activityID, of: account, in: database)
    let days = try calendars.days(of: account, now: call.now, in: database)
    let period = input.period ?? .week
    let range = CalendarRange(period, around: (input.day ?? .today).resolved(today: days.today))
    return ActivitySeries(
      period, range, try PlanStore.find(input.activityID, lostDays: days.lost, in: database),
      try EntryStore.progress(of: input.activityID, from: range.days.lowerBound, to: range.days.upperBound, in: database),
      today: days.today)
  }
}
