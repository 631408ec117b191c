import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Teams: created with their first members, shown, renamed, left, handed over; and their members removed (TEAM-1).
struct TeamFeature: Feature {
  let mayEnroll: EnrollmentCheck
  /// Wakes the worker that does what is left for former members.
  let signal = WakeSignal()

  let migrations = [TeamStore.migration(32), TeamLeaveStore.migration(56)]
  let tables: [ErasedTable] = [
    .rows("team_task_leavers", "account_id = :account", .tasks).preceded(by: TeamLeaveStore.settleTasks).uncounted,
    .rows("team_leavers", "account_id = :account", .teams).uncounted,
    // Others see who is in their team.
    ErasedTable.rows("team_members", "account_id = :account", .teams).preceded(by: TeamFeature.handOver).atOnce,
    .untouched("teams", "the members' own, and deleted with the last of them"),
  ]
  let snapshot = [SnapshotPart("teamMemberships", TeamMembershipChanged.self, page: TeamMemberStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    let handlers = TeamHandlers(mayEnroll: mayEnroll, signal: signal)
    service.serve(CreateTeam.self, prepare: TeamHandlers.named, write: handlers.create)
    service.serve(GetOwnTeam.self, read: handlers.own)
    service.serve(UpdateTeam.self, write: handlers.update)
    service.serve(LeaveTeam.self, write: handlers.leave)
    service.serve(HandOverTeam.self, write: handlers.handOver)
    service.serve(RemoveTeamMember.self, write: handlers.remove)
    service.run { [signal] store in
      RoundRobinWorker(
        "former members of teams", of: "team_leavers", by: "account_id", limits: StepLimits(first: 5, max: 20), store: store,
        signal: signal
      ) { (account: AccountID, count, transaction) in
        _ = try TeamLeaveStore.settle(account, count: count, transaction)
      }
    }
  }

  /// Lets the longest other member be the owner before an owner is erased; see `ErasedTable.Preparation`.
  @Sendable
  private static func handOver(from account: AccountID, limit: Int, _ transaction: Transaction) throws -> Int {
    try TeamMemberStore.handOver(from: account, transaction) ? 1 : 0
  }
}
