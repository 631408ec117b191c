import IdentityContract
import InProcess
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import RewardsService

@Suite("Badges and their visibility (REW-7)")
struct BadgeTests {
  private func befriend(_ one: Person, _ other: Person, _ services: ServicesInProcess, isBlocked: Bool = false) async throws {
    for (account, second) in [(one.id, other.id), (other.id, one.id)] {
      try await services.publish(
        from: .social,
        RelationChanged(
          accountID: account, otherAccountID: second, relation: Relation(isFriend: !isBlocked, isBlocked: isBlocked),
          isBlockedByOther: false, revision: isBlocked ? 2 : 1, at: .now))
    }
  }

  private static let tiers = ChallengeTiers(bronze: 100, silver: 200, gold: 300)

  @Test("Badges are shown to friends and on the public profile if their owner allows it, and never to strangers")
  func visibility() async throws {
    let items = [ChallengeScene.challenge("Walk", 150), ChallengeScene.achievement("Steps", .steps, tiers: Self.tiers)]
    try await ChallengeScene.running(items) { services in
      let (ana, ben, eva) = (try await services.register(), try await services.register(), try await services.register())
      try await befriend(ana, ben, services)
      try await services.move(ana.id, steps: 210)
      func seen(by person: Person) async throws -> [String] {
        try await person.send(ListFriendsBadges.self, .init(accountID: ana.id)).items.map(\.name)
      }
      func page(_ language: Language = .english) async throws -> ProfilePart {
        try await ana.asGateway.send(GetBadgeProfilePart.self, .init(accountID: ana.id, language: language))
      }
      #expect(try await ana.send(GetBadgeVisibility.self, .init()) == BadgeVisibility())
      #expect(try await seen(by: ben).isEmpty)
      #expect(try await page().items.isEmpty)
      let stranger = try await eva.failure(ListFriendsBadges.self, .init(accountID: ana.id))
      #expect(stranger == "not_found")
      #expect(try await eva.failure(ListFriendsBadges.self, .init(accountID: AccountID())) == stranger)
      let chosen = BadgeVisibility(isVisibleToFriends: true, isVisibleOnPublicProfile: true)
      #expect(try await ana.send(SetBadgeVisibility.self, chosen, key: "show") == chosen)
      #expect(try await ana.send(GetBadgeVisibility.self, .init()) == chosen)
      #expect(Set(try await seen(by: ben)) == ["Walk badge", "Steps badge"])
      #expect(try await eva.failure(ListFriendsBadges.self, .init(accountID: ana.id)) == "not_found")
      #expect(try await page().heading == "Badges")
      #expect(try await page(.spanish).heading == "Insignias")
      #expect(Set(try await page().items.map(\.text)) == ["Walk badge", "Steps badge · Silver"])
      #expect(Set(try await page(.spanish).items.map(\.text)) == ["Insignia Walk", "Insignia Steps · Plata"])
      try await befriend(ana, ben, services, isBlocked: true)
      #expect(try await ben.failure(ListFriendsBadges.self, .init(accountID: ana.id)) == "not_found")
    }
  }

  @Test("A suspension hides all badges, and a withdrawn consent the badges of movement")
  func standing() async throws {
    let items = [
      ChallengeScene.challenge("Walk", 150),
      ChallengeScene.achievement("Friends", .friends, tiers: ChallengeTiers(bronze: 1, silver: 2, gold: 3)),
    ]
    try await ChallengeScene.running(items) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      try await befriend(ana, ben, services)
      _ = try await ana.send(
        SetBadgeVisibility.self, .init(isVisibleToFriends: true, isVisibleOnPublicProfile: true), key: "show")
      try await services.move(ana.id, steps: 150)
      func shown() async throws -> [Int] {
        let friends = try? await ben.send(ListFriendsBadges.self, .init(accountID: ana.id)).items.count
        let page = try await ana.asGateway.send(GetBadgeProfilePart.self, .init(accountID: ana.id, language: .english)).items
          .count
        return [friends ?? -1, page]
      }
      #expect(try await shown() == [2, 2])
      try await services.change(ana, receivedBy: .rewards) { $0.consents = [] }
      #expect(try await shown() == [1, 1])
      #expect(try await ana.send(ListBadges.self, .init()).items.count == 2)
      try await services.change(ana, receivedBy: .rewards) { $0.consents = ConsentPurpose.allCases }
      try await services.change(ana, receivedBy: .rewards) { $0.suspendedUntil = .endOfTime }
      #expect(try await shown() == [-1, 0])
      try await services.change(ana, receivedBy: .rewards) { $0.suspendedUntil = nil }
      #expect(try await shown() == [2, 2])
    }
  }

  @Test("Awards reached during a suspension, or before an account is known, are given afterwards")
  func held() async throws {
    try await ChallengeScene.running([ChallengeScene.challenge("Walk", 150, coins: 5)]) { services in
      let (ana, ben) = (try await services.register(), try await services.register(isPublished: false))
      try await services.change(ana, receivedBy: .rewards) { $0.suspendedUntil = .endOfTime }
      for person in [ana, ben] { try await services.move(person.id, steps: 150) }
      #expect(try await services.publishedOfChallenges().isEmpty)
      try await services.change(ana, receivedBy: .rewards) { $0.suspendedUntil = nil }
      #expect(try await ana.send(ListCompletedChallenges.self, .init()).items.map(\.coins) == [5])
      try await services.change(ben, receivedBy: .rewards) { $0.dayStartHour = 1 }
      #expect(try await ben.send(ListCompletedChallenges.self, .init()).items.map(\.coins) == [5])
      #expect(try await services.publishedOfChallenges().count == 4)
      // A suspension that is over by its time is followed by no event.
      let eva = try await services.register()
      try await services.change(eva, receivedBy: .rewards) { $0.suspendedUntil = try Instant(text: "2026-11-22T12:00:00.000Z") }
      try await services.move(eva.id, steps: 150)
      #expect(try await services.publishedOfChallenges().count == 4)
      try services.clock.set("2026-11-22T12:00:00.000Z")
      try await services.store(of: .rewards).until { try await services.publishedOfChallenges().count == 6 }
      #expect(try await eva.send(ListCompletedChallenges.self, .init()).items.map(\.coins) == [5])
    }
  }

  @Test("Erasing an account leaves nothing of its badges and progress, and its payments without the account (ID-12)")
  func erasure() async throws {
    let items = [ChallengeScene.challenge("Walk", 150, coins: 5), ChallengeScene.achievement("Steps", .steps, tiers: Self.tiers)]
    try await ChallengeScene.running(items) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      for person in [ana, ben] {
        _ = try await person.send(SetBadgeVisibility.self, .init(isVisibleToFriends: true), key: "show")
        try await services.move(person.id, steps: 400)
        try await services.move(person.id, steps: 400, daysAgo: 1)
      }
      let store = services.store(of: .rewards)
      try await services.delete(ana, receivedBy: .rewards)
      #expect(try await store.traces(of: ana.id) == [])
      for (table, rows) in ["challenge_completions": 4, "challenge_days": 2, "challenge_totals": 1, "badge_visibilities": 1] {
        #expect(try await store.rows(table) == rows, "\(table)")
      }
      #expect(try await store.rows("challenge_rewards") == 2)
      // What activity published before it knew of the deletion.
      try await services.move(ana.id, steps: 500, daysAgo: 2)
      #expect(try await store.traces(of: ana.id) == [])
      try await services.ledgerIsSound()
    }
  }
}
