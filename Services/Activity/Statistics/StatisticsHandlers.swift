import ActivityContract
import GRDB
import Operations
import ServiceKit

/// The statistics of the caller's profile, and of accounts that the caller follows.
struct StatisticsHandlers: Sendable {
  let calendars: AccountCalendars

  func get(_ input: GetStatistics.Input, _ call: AccountCall, _ database: Database) throws -> GetStatistics.Output {
    let owner = input.accountID ?? call.account
    try FollowStore.require(call.account, mayRead: owner, now: call.now, in: database)
    return try ActiveDayStore.statistics(of: try calendars.days(of: owner, now: call.now, in: database), in: database)
  }
}
