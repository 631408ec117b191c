import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Corrections of challenges and badges by administrators (REW-7, REW-8)", .timeLimit(.minutes(1)))
struct ChallengeCorrectionTests {
  private static let tiers = ChallengeTiers(bronze: 100, silver: 200, gold: 300)

  private func input(
    _ item: ChallengesFile.Item, _ person: Person, _ tier: ChallengeTier? = nil, _ reason: String = " A borrowed device "
  ) -> ChallengeCorrectionInput {
    ChallengeCorrectionInput(challengeID: item.id, accountID: person.id, tier: tier, reason: reason)
  }

  private func completed(_ person: Person) async throws -> [Int] {
    try await person.send(ListCompletedChallenges.self, .init()).items.map(\.coins)
  }

  private func tier(_ person: Person) async throws -> ChallengeTier? {
    try await person.send(ListAchievements.self, .init()).items.first?.tier
  }

  @Test(
    "A revoked challenge loses badge and coins until it is granted again, and the coins then return, each once"
  )
  func revokedAndGranted() async throws {
    let walk = ChallengeScene.challenge("Walk", 150, coins: 20)
    try await ChallengeScene.running([walk]) { services in
      let (ana, administrator) = (try await services.register(), try services.administrator())
      try await services.move(ana.id, steps: 150)
      #expect(try await services.coins(of: ana) == 21)
      for _ in 0..<2 {
        let revoked = try await administrator.send(RevokeChallengeCompletion.self, input(walk, ana), key: "revoke")
        #expect(revoked.coins == 20 && !revoked.isGranted && revoked.reason == "A borrowed device" && revoked.tier == nil)
        #expect(revoked.administratorAccountID == administrator.id && revoked.accountID == ana.id)
      }
      #expect(try await administrator.failure(RevokeChallengeCompletion.self, input(walk, ana)) == "challenge_not_held")
      #expect(try await services.coins(of: ana) == 1)
      #expect(try await completed(ana).isEmpty)
      #expect(try await ana.send(ListBadges.self, .init()).items.isEmpty)
      // More of it does not bring it back.
      try await services.move(ana.id, steps: 190)
      try await services.move(ana.id, steps: 200, daysAgo: 1)
      #expect(try await completed(ana).isEmpty)
      for _ in 0..<2 {
        let granted = try await administrator.send(GrantChallengeCompletion.self, input(walk, ana), key: "grant")
        #expect(granted.coins == 20 && granted.isGranted)
      }
      #expect(try await administrator.failure(GrantChallengeCompletion.self, input(walk, ana)) == "challenge_held")
      #expect(try await services.coins(of: ana) == 23)
      #expect(try await completed(ana) == [20])
      // And less of it does not take it back.
      try await services.move(ana.id, steps: 0)
      try await services.move(ana.id, steps: 0, daysAgo: 1)
      #expect(try await completed(ana) == [20])
      #expect(try await ana.send(ListBadges.self, .init()).items.count == 1)
      #expect(
        try await services.publishedOfChallenges() == [
          "challenges.completed", "badges.awarded", "challenges.completionReversed", "challenges.corrected",
          "challenges.corrected",
        ])
      let corrections = try await services.published(by: .rewards).filter { $0.name == ChallengeCorrected.spec.name }
        .map { try ChallengeCorrected.decode($0.body) }
      #expect(corrections.map(\.isGranted) == [false, true] && corrections.map(\.coins) == [20, 20])
      #expect(
        corrections.allSatisfy { $0.accountID == ana.id && $0.reason == "A borrowed device" && $0.texts.en.title == "Walk" })
      let listed = try await administrator.send(ListChallengeCorrections.self, .init(accountID: ana.id)).items
      #expect(listed.map(\.id) == corrections.map(\.correctionID).reversed())
      try await services.ledgerIsSound()
    }
  }

  @Test("Revoking takes only the unspent coins, and granting returns no more than was taken")
  func spent() async throws {
    let walk = ChallengeScene.challenge("Walk", 150, coins: 20)
    try await ChallengeScene.running([walk]) { services in
      let (ana, administrator) = (try await services.register(), try services.administrator())
      try await services.move(ana.id, steps: 150)
      _ = try await administrator.send(AdjustCoins.self, .init(accountID: ana.id, coins: -16, reason: "Spent"))
      #expect(try await services.coins(of: ana) == 5)
      let revoked = try await administrator.send(RevokeChallengeCompletion.self, input(walk, ana))
      let left = try await services.coins(of: ana)
      #expect(left >= 0 && left + revoked.coins == 5)
      for (granting, revoking) in [("grant 1", "revoke 1"), ("grant 2", "revoke 2")] {
        #expect(
          try await administrator.send(GrantChallengeCompletion.self, input(walk, ana), key: granting).coins == revoked.coins)
        #expect(try await services.coins(of: ana) == 5)
        #expect(
          try await administrator.send(RevokeChallengeCompletion.self, input(walk, ana), key: revoking).coins == revoked.coins)
        #expect(try await services.coins(of: ana) == left)
      }
      try await services.ledgerIsSound()
    }
  }

  @Test("A challenge that was never completed can be granted with its coins, and completing it later pays nothing more")
  func neverDone() async throws {
    let walk = ChallengeScene.challenge("Walk", 150, coins: 20)
    try await ChallengeScene.running([walk]) { services in
      let (ana, administrator) = (try await services.register(), try services.administrator())
      #expect(try await administrator.failure(RevokeChallengeCompletion.self, input(walk, ana)) == "challenge_not_held")
      #expect(try await administrator.send(GrantChallengeCompletion.self, input(walk, ana)).coins == 20)
      try await services.move(ana.id, steps: 150)
      #expect(try await services.coins(of: ana) == 21)
      #expect(try await completed(ana) == [20])
      #expect(try await services.publishedOfChallenges() == ["challenges.corrected"])
      try await services.ledgerIsSound()
    }
  }

  @Test("Revoking a tier also revokes those above it for good, and granting one also grants those below")
  func achievement() async throws {
    let steps = ChallengeScene.achievement("Steps", .steps, tiers: Self.tiers)
    try await ChallengeScene.running([steps]) { services in
      let (ana, administrator) = (try await services.register(), try services.administrator())
      try await services.move(ana.id, steps: 250)
      let revoked = try await administrator.send(RevokeChallengeCompletion.self, input(steps, ana, .silver))
      #expect(revoked.tier == .silver && revoked.coins == 0)
      #expect(try await tier(ana) == .bronze)
      try await services.move(ana.id, steps: 400)
      #expect(try await tier(ana) == .bronze)
      #expect(try await administrator.failure(RevokeChallengeCompletion.self, input(steps, ana, .gold)) == "challenge_not_held")
      _ = try await administrator.send(GrantChallengeCompletion.self, input(steps, ana, .gold))
      #expect(try await tier(ana) == .gold)
      #expect(try await administrator.failure(GrantChallengeCompletion.self, input(steps, ana, .silver)) == "challenge_held")
      _ = try await administrator.send(RevokeChallengeCompletion.self, input(steps, ana, .bronze))
      #expect(try await tier(ana) == nil)
      #expect(try await ana.send(ListBadges.self, .init()).items.isEmpty)
    }
  }

  @Test("Only administrators can correct challenges, of other accounts, with a reason")
  func refused() async throws {
    let (walk, steps) = (
      ChallengeScene.challenge("Walk", 150, coins: 5), ChallengeScene.achievement("Steps", .steps, tiers: Self.tiers)
    )
    try await ChallengeScene.running([walk, steps]) { services in
      let (ana, eve, administrator) = (
        try await services.register(), try await services.register(), try services.administrator()
      )
      try await services.move(ana.id, steps: 150)
      for person in [eve, ana] {
        #expect(try await person.failure(RevokeChallengeCompletion.self, input(walk, ana)) == "forbidden")
        #expect(try await person.failure(GrantChallengeCompletion.self, input(walk, ana)) == "forbidden")
        #expect(try await person.failure(ListChallengeCorrections.self, .init(accountID: ana.id)) == "forbidden")
      }
      #expect(try await administrator.failure(GrantChallengeCompletion.self, input(walk, administrator)) == "forbidden")
      let nobody = ChallengeCorrectionInput(challengeID: walk.id, accountID: AccountID(), reason: "A test")
      #expect(try await administrator.failure(RevokeChallengeCompletion.self, nobody) == "not_found")
      let nothing = ChallengeCorrectionInput(challengeID: ChallengeID(), accountID: ana.id, reason: "A test")
      #expect(try await administrator.failure(GrantChallengeCompletion.self, nothing) == "challenge_not_found")
      for (given, fault) in [
        (input(walk, ana, .gold), "tier challenge_without_tiers"), (input(steps, ana), "tier required"),
        (input(walk, ana, nil, "  "), "reason empty"),
      ] {
        #expect(try await administrator.refusedFields(RevokeChallengeCompletion.self, given) == [fault])
        #expect(try await administrator.refusedFields(GrantChallengeCompletion.self, given) == [fault])
      }
      #expect(try await completed(ana) == [5])
    }
  }

  @Test("Erasing an account removes corrections about it, and its name as the administrator of others'")
  func erasure() async throws {
    let walk = ChallengeScene.challenge("Walk", 150, coins: 5)
    try await ChallengeScene.running([walk]) { services in
      let (ana, ben, administrator) = (
        try await services.register(), try await services.register(), try services.administrator()
      )
      for person in [ana, ben] { _ = try await administrator.send(GrantChallengeCompletion.self, input(walk, person)) }
      let store = services.store(of: .rewards)
      try await services.delete(ana, receivedBy: .rewards)
      #expect(try await store.traces(of: ana.id) == [])
      try await services.delete(administrator, receivedBy: .rewards)
      #expect(try await store.traces(of: administrator.id) == [])
      #expect(try await store.rows("challenge_corrections") == 1)
      try await services.ledgerIsSound()
    }
  }
}
