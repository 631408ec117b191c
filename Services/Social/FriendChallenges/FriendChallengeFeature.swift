import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Challenges of friends to activities: sent, listed, answered and ended, with both people's streaks while they go on (SOC-6).
struct FriendChallengeFeature: Feature {
  let migrations = [FriendChallengeStore.migration(20), FriendChallengeEndStore.migration(57)]
  let tables: [ErasedTable] = [
    .untouched("friend_challenge_ends", "numbers of challenges"),
    .following("friend_challenge_streaks", "friend_challenges"),
    .rows("friend_challenges", "from_account = :account OR to_account = :account", .friendChallenges),
  ]
  let snapshot = [
    SnapshotPart(
      "friendChallenges", FriendChallengeChanged.self, FriendChallengeAccepted.self, page: FriendChallengeStore.snapshot)
  ]

  func register(in service: inout ServiceDefinition) {
    typealias Handlers = FriendChallengeHandlers
    service.serve(SendFriendChallenge.self, prepare: Handlers.activity, write: Handlers.send)
    service.serve(ListFriendChallenges.self, read: Handlers.list)
    service.serve(GetFriendChallenge.self, read: Handlers.get)
    service.serveAttempt(AcceptFriendChallenge.self, prepare: Handlers.plan, write: Handlers.accept)
    service.serve(RejectFriendChallenge.self, write: Handlers.reject)
    service.serve(WithdrawFriendChallenge.self, write: Handlers.withdraw)
    service.serve(EndFriendChallenge.self, write: Handlers.end)
    service.subscribe(to: ActivityDeleted.self, FriendChallengeSubscriptions.activityDeleted)
    service.subscribe(to: StreakChanged.self, FriendChallengeSubscriptions.streakChanged)
    service.run { store in FriendChallengeEndWorker(store: store) }
  }
}
