import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Friends: listed and removed.
enum FriendHandlers {
  static func list(_ input: ListFriends.Input, _ call: AccountCall, _ database: Database) throws -> Page<Friend> {
    try FriendStore.list(of: call.account, call.page(input), in: database)
  }

  static func remove(_ input: RemoveFriend.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard try FriendStore.remove(call.account, input.accountID, transaction) else { throw Failure(RequestFailure.notFound) }
    try RelationStore.publish(call.account, input.accountID, transaction)
    return Empty()
  }
}
