import IdentityContract
import RewardsContract
import ServiceKit
import Storage

/// Administrators' corrections of completions, each with a reason (REW-7, REW-8).
struct ChallengeCorrectionFeature: Feature {
  let rewards: ChallengeRewards
  let calendars: AccountCalendars
  let migrations = [ChallengeCorrectionStore.migration(27)]
  let tables: [ErasedTable] = [
    .changed(
      "challenge_corrections", "account_id = :account OR administrator_id = :account", .challenges,
      by: "DELETE FROM challenge_corrections WHERE account_id = :account",
      "UPDATE challenge_corrections SET administrator_id = NULL WHERE administrator_id = :account")
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = ChallengeCorrectionHandlers(rewards: rewards, calendars: calendars)
    service.serve(RevokeChallengeCompletion.self, prepare: ChallengeCorrectionHandlers.prepare, write: handlers.revoke)
    service.serve(GrantChallengeCompletion.self, prepare: ChallengeCorrectionHandlers.prepare, write: handlers.grant)
    service.serve(ListChallengeCorrections.self, read: ChallengeCorrectionHandlers.list)
  }
}
