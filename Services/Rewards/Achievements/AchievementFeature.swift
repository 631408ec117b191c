import RewardsContract
import ServiceKit

/// Achievements in tiers, listed (REW-8). They are definitions of `Challenges/`, counted by its engine.
struct AchievementFeature: Feature {
  let catalogues: ChallengeCatalogues
  let calendars: AccountCalendars

  func register(in service: inout ServiceDefinition) {
    service.serve(ListAchievements.self, read: AchievementHandlers(catalogues: catalogues, calendars: calendars).list)
  }
}
