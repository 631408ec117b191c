import ActivityContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Serves the statistics of profiles.
  mutating func serveStatistics(_ calendars: AccountCalendars) {
    serve(GetStatistics.self, prepare: calendars.prepare) { input, _, call, database in
      let owner = try input.accountID ?? call.account
      try Follows.require(call.account, mayRead: owner, in: database)
      return try ActiveDays.statistics(of: try calendars.days(of: owner, now: call.now, in: database), in: database)
    }
  }
}
