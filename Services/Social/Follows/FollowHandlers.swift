import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The accounts that an account follows and its followers: listed and removed.
enum FollowHandlers {
  static func listFollows(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<Follow> {
    try FollowStore.list(.followed, of: call.account, call.page(input), in: database)
  }

  static func listFollowers(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<Follow> {
    try FollowStore.list(.followers, of: call.account, call.page(input), in: database)
  }

  static func removeFollow(_ input: RemoveFollow.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    try end(call.account, follows: input.accountID, transaction)
  }

  static func removeFollower(_ input: RemoveFollower.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    try end(input.accountID, follows: call.account, transaction)
  }

  private static func end(_ follower: AccountID, follows followed: AccountID, _ transaction: Transaction) throws -> Empty {
    guard try FollowStore.follows(follower, followed, in: transaction.database) else { throw Failure(RequestFailure.notFound) }
    try FollowStore.change(follower, follows: followed, .ended, transaction)
    try RelationStore.publish(follower, followed, transaction)
    return Empty()
  }
}
