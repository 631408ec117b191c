import ActivityContract
import IdentityContract
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Completing challenges (E UC-06)")
struct ChallengeFlowTests {
  @Test("E UC-06, main flow: steps complete a challenge; badge and coins are awarded, and the profile shows them")
  func main() async throws {
    let tenThousand = ChallengeScene.challenge("Ten thousand", 10_000, coins: 20)
    try await ChallengeScene.running([tenThousand]) { services in
      let ana = try await services.register()
      try await services.move(ana.id, steps: 9999)
      #expect(try await ana.send(ListChallenges.self, .init()).items.map(\.progress) == [9999])
      #expect(try await ana.send(ListBadges.self, .init()).items.isEmpty)
      try await services.move(ana.id, steps: 10_000)
      #expect(try await ana.send(ListChallenges.self, .init()).items.isEmpty)
      let completed = try await ana.send(ListCompletedChallenges.self, .init()).items
      #expect(completed.map(\.title) == ["Ten thousand"] && completed.map(\.coins) == [20])
      #expect(completed.first?.completedAt == services.clock.clock.now)
      let badges = try await ana.send(ListBadges.self, .init()).items
      #expect(badges.map(\.name) == ["Ten thousand badge"] && badges.map(\.tier) == [nil])
      #expect(try await services.publishedOfChallenges() == ["challenges.completed", "badges.awarded"])
      // More steps, and another such day, complete it no more.
      let coins = try await services.coins(of: ana)
      try await services.move(ana.id, steps: 10_050)
      try await services.move(ana.id, steps: 12_000, daysAgo: 1)
      #expect(try await services.publishedOfChallenges().count == 2)
      // The coins of the other day's steps alone.
      #expect(try await services.coins(of: ana) == coins + 120)
      try await services.ledgerIsSound()
    }
  }

  @Test("E UC-06, AF-01: the remainder of a challenge is shown in the caller's language")
  func remaining() async throws {
    let challenges = [
      ChallengeScene.challenge("Ten thousand", 10_000, coins: 20), ChallengeScene.challenge("A week", .steps, .week, 70_000),
      ChallengeScene.challenge("Five in a row", .daysInARow, .ever, stepsPerDay: 5000, 5),
      ChallengeScene.challenge("Run", .runningMeters, .month, 50_000),
    ]
    try await ChallengeScene.running(challenges) { services in
      let (ana, eva) = (try await services.register(), try await services.register(language: .spanish))
      for person in [ana, eva] {
        try await services.move(person.id, steps: 7500, running: 5300.7)
        try await services.move(person.id, steps: 6000, daysAgo: 1)
        // Sunday of the week before, and a day of the month before.
        try await services.move(person.id, steps: 6000, daysAgo: 6, recordedDaysAgo: 6)
        try await services.move(person.id, running: 9000, daysAgo: 21, recordedDaysAgo: 20)
      }
      let list = try await ana.send(ListChallenges.self, .init()).items
      #expect(list.map(\.title) == ["Ten thousand", "Five in a row", "A week", "Run"])
      #expect(list.map(\.progress) == [7500, 2, 13_500, 5300] && list.map(\.remaining) == [2500, 3, 56_500, 44_700])
      #expect(
        list.map(\.remainingText)
          == ["2,500 steps remaining", "3 days in a row remaining", "56,500 steps remaining", "44.7 km remaining"])
      #expect(list[0].from == ChallengeScene.today && list[0].to == ChallengeScene.today && list[1].from == nil)
      #expect(list[0].coins == 20 && list[2].coins == 0)
      let spanish = try await eva.send(ListChallenges.self, .init()).items
      #expect(
        spanish.map(\.remainingText) == ["Faltan 2500 pasos", "Faltan 3 días seguidos", "Faltan 56.500 pasos", "Faltan 44,7 km"])
      #expect(spanish[0].title == "Ten thousand (es)" && spanish[0].badge == "Insignia Ten thousand")
    }
  }

  @Test("E UC-06, AF-02: unavailable challenges are reported as such")
  func unavailable() {
    let words = Words(Contract.rewards.words)
    #expect(words.text("failure.unavailable.challenges", .english) == "Challenges unavailable at the moment.")
    #expect(words.text("failure.unavailable.challenges", .spanish) == "Retos no disponibles en este momento.")
  }

  @Test("A challenge for new accounts counts an account's first days, and is not shown to older accounts")
  func newAccounts() async throws {
    let challenge = ChallengeScene.challenge("Beginning", .steps, .ever, newAccountDays: 3, 100, coins: 5)
    try await ChallengeScene.running([challenge], at: nil) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let first = LocalDay(daysSinceEpoch: Int32(ana.id.instant.milliseconds / 86_400_000))
      func walk(_ person: Person, _ steps: Int, on day: Int, revision: Int) async throws {
        let day = first.advanced(by: day)
        try await services.publish(
          from: .activity,
          MovementDaysChanged(
            accountID: person.id, recordedDay: day,
            days: [.init(day: day, steps: steps, earningSteps: steps, revision: revision)]))
      }
      try await walk(ana, 60, on: 0, revision: 1)
      try await walk(ana, 40, on: 2, revision: 2)
      #expect(try await ana.send(ListCompletedChallenges.self, .init()).items.map(\.coins) == [5])
      try await walk(ben, 99, on: 2, revision: 1)
      try await walk(ben, 1000, on: 3, revision: 2)
      try await walk(ben, 1000, on: -1, revision: 3)
      #expect(try await ben.send(ListCompletedChallenges.self, .init()).items.isEmpty)
      #expect(try await ben.send(ListChallenges.self, .init()).items.map(\.remaining) == [1])
      try services.clock.set(services.clock.clock.now.adding(seconds: 3 * 86_400).description)
      #expect(try await ben.send(ListChallenges.self, .init()).items.isEmpty)
    }
  }

  @Test("A correction within the earning days takes back badge and coins, and a later one does not; each is paid once")
  func corrections() async throws {
    let challenge = ChallengeScene.challenge("Ten thousand", 10_000, coins: 20)
    try await ChallengeScene.running([challenge]) { services in
      let ana = try await services.register()
      try await services.move(ana.id, steps: 10_000, daysAgo: 3)
      #expect(try await services.coins(of: ana) == 120)
      try await services.move(ana.id, steps: 9000, daysAgo: 3)
      #expect(try await services.coins(of: ana) == 90)
      #expect(try await ana.send(ListBadges.self, .init()).items.isEmpty)
      #expect(try await ana.send(ListChallenges.self, .init()).items.map(\.progress) == [0])
      try await services.move(ana.id, steps: 11_000, daysAgo: 3)
      #expect(try await services.coins(of: ana) == 130)
      // On another day it is reached as well: the one stands for the other.
      try await services.move(ana.id, steps: 10_000, daysAgo: 1)
      try await services.move(ana.id, steps: 5000, daysAgo: 3)
      #expect(try await ana.send(ListBadges.self, .init()).items.count == 1)
      // Recorded a week after the day it is too late for both.
      try await services.move(ana.id, steps: 0, daysAgo: 1, recordedDaysAgo: -6)
      #expect(try await ana.send(ListBadges.self, .init()).items.count == 1)
      #expect(try await services.coins(of: ana) == 170)
      #expect(
        try await services.publishedOfChallenges() == [
          "challenges.completed", "badges.awarded", "challenges.completionReversed", "challenges.completed", "badges.awarded",
        ])
      try await services.ledgerIsSound()
    }
  }

  @Test("A spent reward is not taken back, and not paid again")
  func spent() async throws {
    let challenge = ChallengeScene.challenge("Ten thousand", 10_000, coins: 20)
    try await ChallengeScene.running([challenge]) { services in
      let ana = try await services.register()
      try await services.move(ana.id, steps: 10_000)
      let all = try await services.coins(of: ana)
      try await services.spend(all - 15, of: ana.id)
      try await services.move(ana.id, steps: 9999)
      let completions = try await services.store(of: .rewards).read { try ChallengeCompletionStore.all(of: ana.id, in: $0) }
      let kept = try #require(completions.values.first)
      #expect(!kept.isCurrent)
      let before = try await services.coins(of: ana)
      try await services.move(ana.id, steps: 10_000)
      let again = try await ana.send(ListCompletedChallenges.self, .init()).items
      #expect(again.map(\.coins) == [20])
      // What was kept is not paid again: with the coin of the steps.
      #expect(try await services.coins(of: ana) <= before + 20 - kept.coins + 1)
    }
  }

  @Test("A later definition counts earlier activity, with coins only for days of the earning window")
  func later() async throws {
    try await ChallengeScene.running { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      try await services.move(ana.id, steps: 10_000, daysAgo: 20, recordedDaysAgo: 20)
      try await services.move(ben.id, steps: 10_000, daysAgo: 6, recordedDaysAgo: 6)
      let (anas, bens) = (try await services.coins(of: ana), try await services.coins(of: ben))
      let marta = try services.administrator()
      let terms = ChallengeScene.challenge("Ten thousand", 10_000, coins: 20).terms
      let definition = try await marta.send(CreateChallenge.self, terms, key: "create")
      #expect(definition.terms == terms && definition.retiredAt == nil)
      try await services.store(of: .rewards).until {
        try await services.store(of: .rewards).read { try ChallengeDefinitionStore.uncounted(in: $0) == nil }
      }
      #expect(try await ana.send(ListCompletedChallenges.self, .init()).items.map(\.coins) == [0])
      #expect(try await ben.send(ListCompletedChallenges.self, .init()).items.map(\.coins) == [20])
      #expect(try await services.coins(of: ana) == anas)
      #expect(try await services.coins(of: ben) == bens + 20)
      // Completed is completed: the next such day pays nothing more.
      try await services.move(ana.id, steps: 10_000)
      #expect(try await services.publishedOfChallenges().count == 4)
    }
  }

  @Test("Coins are paid only if the days within the earning window suffice by themselves")
  func laterInPart() async throws {
    try await ChallengeScene.running { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      // Six days ago is the first that is paid for; it is a Sunday, and the day before belongs to the same week.
      for (person, split) in [(ana, 1000), (ben, 700)] {
        try await services.move(person.id, steps: 1000 - split, daysAgo: 7, recordedDaysAgo: 7)
        try await services.move(person.id, steps: split, daysAgo: 6, recordedDaysAgo: 6)
      }
      let terms = ChallengeScene.challenge("A week", .steps, .week, 1000, coins: 9).terms
      _ = try await services.administrator().send(CreateChallenge.self, terms, key: "create")
      try await services.store(of: .rewards).until {
        try await services.store(of: .rewards).read { try ChallengeDefinitionStore.uncounted(in: $0) == nil }
      }
      #expect(try await ana.send(ListCompletedChallenges.self, .init()).items.map(\.coins) == [9])
      #expect(try await ben.send(ListCompletedChallenges.self, .init()).items.map(\.coins) == [0])
    }
  }
}
