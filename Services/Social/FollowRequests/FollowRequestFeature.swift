import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Follow requests: sent, listed, accepted, rejected, withdrawn; unanswered ones expire (SOC-7).
struct FollowRequestFeature: Feature {
  let life: ConnectionRequestLife
  let migrations = [
    FollowRequestStore.migration(8, "follow requests"), FollowRequestStore.hiddenMigration(19, "hidden follow requests"),
    FollowRequestStore.stateMigration(54, "follow requests by state"),
  ]
  let tables: [ErasedTable] = [.rows("follow_requests", "from_account = :account OR to_account = :account", .followRequests)]
  let snapshot = [
    SnapshotPart(
      "followRequests", FollowRequestSent.self, FollowRequestAccepted.self, FollowRequestEnded.self,
      page: FollowRequestStore.snapshot)
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(SendFollowRequest.self, prepare: FollowRequestHandlers.asking, write: FollowRequestHandlers.send)
    service.serve(ListFollowRequests.self, read: FollowRequestHandlers.list)
    service.serve(AcceptFollowRequest.self, write: FollowRequestHandlers.accept)
    service.serve(RejectFollowRequest.self, write: FollowRequestHandlers.reject)
    service.serve(WithdrawFollowRequest.self, write: FollowRequestHandlers.withdraw)
    service.run { [life] in ConnectionRequestWorker<Following>(store: $0, life: life) }
  }
}
