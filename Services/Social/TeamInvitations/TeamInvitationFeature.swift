import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Invitations to teams: sent by the owner, listed, accepted, rejected, withdrawn; those that nobody answers expire (TEAM-1).
struct TeamInvitationFeature: Feature {
  private typealias Handlers = TeamInvitationHandlers

  let life: ConnectionRequestLife
  let migrations = [TeamInvitationStore.migration(34)]
  let tables: [ErasedTable] = [.rows("team_invitations", "from_account = :account OR to_account = :account", .teams)]
  let snapshot = [SnapshotPart("teamInvitations", TeamInvitationChanged.self, page: TeamInvitationStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    service.serve(SendTeamInvitation.self, prepare: Handlers.invited, write: Handlers.send)
    service.serve(ListTeamInvitations.self, read: Handlers.list)
    service.serve(AcceptTeamInvitation.self, write: Handlers.accept)
    service.serve(RejectTeamInvitation.self, write: Handlers.reject)
    service.serve(WithdrawTeamInvitation.self, write: Handlers.withdraw)
    service.run { [life] in TeamInvitationWorker(store: $0, life: life) }
  }
}
