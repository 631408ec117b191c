import IdentityContract
import ServiceKit
import SocialContract
import Storage

/// The members of teams, as social publishes them (TEAM-1), for what team members share.
struct TeamMemberFeature: Feature {
  let migrations = [TeamMemberStore.migration(22)]
  let tables: [ErasedTable] = [ErasedTable.rows("team_members", "account_id = :account", .teams).atOnce]

  func register(in service: inout ServiceDefinition) {
    service.subscribe(to: TeamMembershipChanged.self) { event, _, transaction in try TeamMemberStore.keep(event, transaction) }
  }
}
