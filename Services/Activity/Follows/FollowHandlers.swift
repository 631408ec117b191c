import ActivityContract
import GRDB
import Operations
import ServiceKit

/// What followers see: the activities of the accounts that they follow.
struct FollowHandlers: Sendable {
  let calendars: AccountCalendars

  func listActivities(
    _ input: ListFollowedActivities.Input, _ call: AccountCall, _ database: Database
  ) throws -> ListFollowedActivities.Output {
    let account = call.account
    if let owner = input.accountID, try !FollowStore.isOpen(account, to: owner, now: call.now, in: database) {
      throw Failure(RequestFailure.notFound)
    }
    return try FollowedActivityStore.list(
      of: account, owner: input.accountID, call.page(input), calendars, now: call.now, in: database)
  }
}
