import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Friends: listed, and removed by either of the two (SOC-2).
struct FriendFeature: Feature {
  let migrations = [FriendStore.migration(2), FriendStore.nameMigration(17)]
  let tables: [ErasedTable] = [
    .following("friend_names", "friendships"),
    .rows("friendships", "low_account = :account OR high_account = :account", .friendships),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListFriends.self, read: FriendHandlers.list)
    service.serve(RemoveFriend.self, write: FriendHandlers.remove)
  }
}
