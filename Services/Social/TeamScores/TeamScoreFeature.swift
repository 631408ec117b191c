import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// The scores of teams from the tasks that their members complete with others, and their ranks among all teams (TEAM-2).
struct TeamScoreFeature: Feature {
  let migrations = [TeamScoreStore.migration(33)]
  let tables: [ErasedTable] = [
    .rows("team_points", "account_id = :account", .teams),
    .untouched("team_scores", "the teams' own: what an erased account has scored stays with its team"),
    .untouched("team_score_counts", "counts of teams"),
    .untouched("team_score_bands", "counts of teams"),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListTeams.self, read: TeamScoreHandlers.list)
  }
}
