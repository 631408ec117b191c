import ActivityContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Serves the statistics of profiles.
  mutating func serveStatistics(_ calendars: AccountCalendars) {
    serve(GetStatistics.self, prepare: calendars.prepare) { input, _, call, database in
      let owner = try input.accountID ?? call.account
      try Follows.require(call.account, mayRead: owner, in: database)
      let today = try calendars.calendar(of: owner, in: database).day(of: call.now)
      return try ActiveDays.statistics(of: owner, today: today, in: database)
    }
  }
}
