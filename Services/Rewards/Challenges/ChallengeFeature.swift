import ActivityContract
import IdentityContract
import Logging
import RewardsContract
import ServiceKit
import SocialContract
import Storage

/// Challenges, defined as data and completed by what accounts do, with badges and coins (REW-7). Achievements are definitions with tiers,
/// evaluated by the same engine (REW-8). See `Challenges.md`.
struct ChallengeFeature: Feature {
  /// The definitions from files.
  let published: [ChallengesFile.Item]
  let formula: CoinFormula
  let catalogues: ChallengeCatalogues
  let rewards: ChallengeRewards
  let calendars: AccountCalendars
  let logger: Logger
  private let signal = WakeSignal()

  init(
    published: [ChallengesFile.Item], formula: CoinFormula, catalogues: ChallengeCatalogues, rewards: ChallengeRewards,
    calendars: AccountCalendars, logger: Logger
  ) {
    self.published = published
    self.formula = formula
    self.catalogues = catalogues
    self.rewards = rewards
    self.calendars = calendars
    self.logger = logger
  }

  let migrations = [ChallengeDefinitionStore.migration(24)]
  let tables: [ErasedTable] = [
    ErasedTable.rows("challenge_completions", "account_id = :account", .challenges).atOnce,
    .rows("challenge_days", "account_id = :account", .challenges),
    .rows("challenge_entries", "account_id = :account", .challenges),
    .rows("challenge_activities", "account_id = :account", .challenges),
    .rows("challenge_tasks", "account_id = :account", .challenges),
    .rows("challenge_teams", "account_id = :account", .challenges),
    .rows("challenge_totals", "account_id = :account", .challenges),
    .untouched("challenge_rewards", "what transfers between numbers of the ledger were paid for"),
    .untouched("challenges", "definitions"),
    .untouched("challenge_stamps", "counts changes of definitions"),
  ]

  let snapshot = [
    SnapshotPart(
      "challengeCompletions", ChallengeCompleted.self, BadgeAwarded.self, page: ChallengeCompletionStore.snapshot)
  ]

  /// The engine on the feature's own store.
  var engine: ChallengeEngine {
    ChallengeEngine(
      catalogues: catalogues, calendars: calendars, earningDays: formula.earningDays, rewards: rewards)
  }

  func register(in service: inout ServiceDefinition) {
    let handlers = ChallengeHandlers(catalogues: catalogues, calendars: calendars)
    let definitions = ChallengeDefinitionHandlers(signal: signal)
    service.serve(ListChallenges.self, read: handlers.list)
    service.serve(ListCompletedChallenges.self, read: handlers.listCompleted)
    service.serve(CreateChallenge.self, write: definitions.create)
    service.serve(UpdateChallenge.self, write: definitions.update)
    service.serve(RetireChallenge.self, write: ChallengeDefinitionHandlers.retire)
    service.serve(ListChallengeDefinitions.self, read: ChallengeDefinitionHandlers.list)
    ChallengeSubscriptions(engine: engine, formula: formula).subscribe(&service)
    let (published, engine, signal, logger) = (published, engine, signal, logger)
    service.run { store in
      ChallengeWorker(published: published, engine: engine, signal: signal, store: store, logger: logger)
    }
  }
}
