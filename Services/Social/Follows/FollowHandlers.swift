import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Those whom one follows and those who follow one: listed and removed.
enum FollowHandlers {
  static func serve(_ service: inout ServiceDefinition) {
    service.serve(ListFollows.self) { input, call, database in
      try FollowStore.list(.followed, of: call.account, call.page(input), in: database)
    }
    service.serve(ListFollowers.self) { input, call, database in
      try FollowStore.list(.followers, of: call.account, call.page(input), in: database)
    }
    service.serve(RemoveFollow.self) { input, call, transaction in
      try end(call.account, follows: input.accountID, transaction)
    }
    service.serve(RemoveFollower.self) { input, call, transaction in
      try end(input.accountID, follows: call.account, transaction)
    }
  }

  private static func end(_ follower: AccountID, follows followed: AccountID, _ transaction: Transaction) throws -> Empty {
    guard try FollowStore.follows(follower, followed, in: transaction.database) else { throw Failure(RequestFailure.notFound) }
    try FollowStore.change(follower, follows: followed, .ended, transaction)
    return Empty()
  }
}
