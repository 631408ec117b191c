import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Follows: listed in both directions, and ended by either side (SOC-7).
struct FollowFeature: Feature {
  let migrations = [FollowStore.migration(9), FollowStore.nameMigration(37)]
  let tables: [ErasedTable] = [
    .following("follower_names", "follows"),
    .rows("follows", "follower_account = :account OR followed_account = :account", .follows)
      .publishing(FollowChanged.spec.names, FollowStore.ended),
  ]
  let snapshot = [SnapshotPart("follows", FollowChanged.self, page: FollowStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListFollows.self, read: FollowHandlers.listFollows)
    service.serve(ListFollowers.self, read: FollowHandlers.listFollowers)
    service.serve(RemoveFollow.self, write: FollowHandlers.removeFollow)
    service.serve(RemoveFollower.self, write: FollowHandlers.removeFollower)
  }
}
