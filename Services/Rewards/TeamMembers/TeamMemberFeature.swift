import IdentityContract
import ServiceKit
import SocialContract
import Storage

/// Who is in which team, as social publishes it (TEAM-1): for what is among the members of one.
struct TeamMemberFeature: Feature {
  let migrations = [TeamMemberStore.migration(22)]
  let tables: [ErasedTable] = [ErasedTable.rows("team_members", "account_id = :account", .teams).atOnce]

  func register(in service: inout ServiceDefinition) {
    service.subscribe(to: TeamMembershipChanged.self) { event, _, transaction in try TeamMemberStore.keep(event, transaction) }
  }
}
