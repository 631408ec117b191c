import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Friend requests: sent, listed, accepted, rejected, withdrawn; unanswered ones expire (SOC-1, SOC-2, SOC-3).
struct FriendRequestFeature: Feature {
  let life: ConnectionRequestLife
  let migrations = [
    FriendRequestStore.migration(3, "friend requests"), FriendRequestStore.hiddenMigration(18, "hidden friend requests"),
    FriendRequestStore.stateMigration(53, "friend requests by state"),
  ]
  let tables: [ErasedTable] = [.rows("friend_requests", "from_account = :account OR to_account = :account", .friendRequests)]
  let snapshot = [
    SnapshotPart(
      "friendRequests", FriendRequestSent.self, FriendRequestAccepted.self, FriendRequestEnded.self,
      page: FriendRequestStore.snapshot)
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(SendFriendRequest.self, prepare: FriendRequestHandlers.asking, write: FriendRequestHandlers.send)
    service.serve(ListFriendRequests.self, read: FriendRequestHandlers.list)
    service.serve(AcceptFriendRequest.self, write: FriendRequestHandlers.accept)
    service.serve(RejectFriendRequest.self, write: FriendRequestHandlers.reject)
    service.serve(WithdrawFriendRequest.self, write: FriendRequestHandlers.withdraw)
    service.run { [life] in ConnectionRequestWorker<Friendship>(store: $0, life: life) }
  }
}
