import InProcess
import Operations
import RewardsContract
import Testing

@testable import RewardsService

@Suite("Achievements in tiers (REW-8; E UC-06)")
struct AchievementTests {
  @Test("E UC-06, AF-03: an achievement is kept and shown even if nobody is notified of it")
  func silent() async throws {
    let item = ChallengeScene.achievement("Steps", .steps, tiers: ChallengeTiers(bronze: 100, silver: 200, gold: 300))
    try await ChallengeScene.running([item]) { services in
      let ana = try await services.register()
      try await services.move(ana.id, steps: 250)
      let shown = try #require(try await ana.send(ListAchievements.self, .init()).items.first)
      #expect(shown.tier == .silver && shown.reachedAt == services.clock.clock.now && shown.nextTier == .gold)
      #expect(shown.progress == 250 && shown.remaining == 50 && shown.remainingText == "50 steps remaining")
      #expect(try await ana.send(ListBadges.self, .init()).items.map(\.tier) == [.silver])
      #expect(try await services.publishedOfChallenges() == ["badges.awarded", "badges.awarded"])
      try await services.move(ana.id, steps: 300)
      let last = try #require(try await ana.send(ListAchievements.self, .init()).items.first)
      #expect(last.tier == .gold && last.nextTier == nil && last.remaining == nil && last.remainingText == nil)
    }
  }
}
