import ActivityContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Hears who follows whom, and shows followers what they may see.
  mutating func serveFollows(_ calendars: AccountCalendars) {
    Follows.subscribe(&self)

    serve(ListFollowedActivities.self) { input, call, database in
      let account = try call.account
      if let owner = input.accountID, try !Follows.isOpen(account, to: owner, in: database) {
        throw Failure(RequestFailure.notFound)
      }
      return try FollowedActivities.list(
        of: account, owner: input.accountID, call.page(input), calendars, now: call.now, in: database)
    }
  }
}
