import IdentityContract
import InProcess
import Operations
import RewardsContract
import SocialContract
import Storage
import Testing

@Suite("Accounts hidden from leaderboards (REW-6)")
struct LeaderboardVanishingTests {
  /// How somebody comes to be shown no more.
  enum Way: CaseIterable {
    case erased, suspended, withoutConsent, unseen

    func vanish(_ person: Person, _ services: ServicesInProcess) async throws {
      switch self {
      case .erased: try await services.delete(person, receivedBy: .rewards)
      case .suspended: try await services.suspend(person)
      case .withoutConsent: try await services.consent(person, false)
      case .unseen: _ = try await person.send(SetLeaderboardVisibility.self, .init(isVisible: false), key: "unseen")
      }
    }

    func comeBack(_ person: Person, _ services: ServicesInProcess) async throws {
      switch self {
      case .erased: break
      case .suspended: try await services.suspend(person, until: nil)
      case .withoutConsent: try await services.consent(person, true)
      case .unseen: _ = try await person.send(SetLeaderboardVisibility.self, .init(isVisible: true), key: "seen")
      }
    }
  }

  @Test("Hidden rows leave leaderboards at once and can return, and past months keep other ranks", arguments: Way.allCases)
  func vanish(way: Way) async throws {
    try await ServicesInProcess.ranking(at: "2026-12-10T12:00:00.000Z") { services in
      let ana = try await services.competitor()
      let ben = try await services.competitor()
      let eva = try await services.competitor()
      for (person, steps) in [(ana, 1000), (ben, 900), (eva, 800)] {
        try await services.walk(person, steps, on: "2026-11-20")
        try await services.walk(person, steps, on: "2026-12-10")
      }
      try await way.vanish(ben, services)
      for metric in LeaderboardMetric.allCases {
        let past = try await eva.leaderboard(metric, "2026-11")
        #expect(past.items.map(\.accountID) == [ana.id, eva.id] && past.items.map(\.rank) == [1, 3])
        #expect(past.me?.rank == 3 && past.neighbours.map(\.rank) == [1, 3])
        for period in ["2026-12", "allTime"] {
          let present = try await eva.leaderboard(metric, period)
          #expect(present.items.map(\.accountID) == [ana.id, eva.id] && present.items.map(\.rank) == [1, 2])
          #expect(present.me?.rank == 2)
        }
      }
      guard way != .erased else { return }
      try await way.comeBack(ben, services)
      for period in ["2026-11", "2026-12", "allTime"] {
        #expect(try await eva.leaderboard(.steps, period).items.map(\.rank) == [1, 2, 3], "\(period)")
      }
      try await services.countsAreRight(in: [0, 202_611, 202_612])
    }
  }

  @Test("Rows come back when a suspension ends by time, without an event")
  func suspensionOver() async throws {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.competitor(steps: 500)
      let ben = try await services.competitor(steps: 900)
      try await services.suspend(ben, until: try Instant(text: "2026-11-24T12:00:00.000Z"))
      #expect(try await ana.leaderboard().items.map(\.accountID) == [ana.id])
      try services.clock.set("2026-11-24T12:00:00.001Z")
      let store = services.store(of: .rewards)
      try await store.until { try await ana.leaderboard().items.map(\.accountID) == [ben.id, ana.id] }
      #expect(try await ana.leaderboard().me?.rank == 2)
      #expect(try await store.rows("suspension_ends") == 0)
      try await services.countsAreRight(in: [0, 202_611])
      // One that is lifted, or lasts for ever, is waited for no more.
      for until in [try Instant(text: "2026-11-30T12:00:00.000Z"), Instant.endOfTime] {
        try await services.suspend(ben, until: until)
        #expect(try await store.rows("suspension_ends") == (until == .endOfTime ? 0 : 1))
      }
    }
  }

  @Test("An account not counted when a month's ranks became final is shown later, and moves nobody")
  func comingLate() async throws {
    try await ServicesInProcess.ranking(at: "2026-11-20T12:00:00.000Z") { services in
      let ana = try await services.competitor(steps: 1000)
      let ben = try await services.competitor(steps: 900, isVisible: false)
      let eva = try await services.competitor(steps: 800)
      let luz = try await services.competitor(steps: 700)
      try await services.suspend(luz)
      // The ranks of November do not stand yet.
      try services.clock.set("2026-12-07T17:59:00.000Z")
      try await services.suspend(luz, until: nil)
      #expect(try await eva.leaderboard(.steps, "2026-11").items.ranks == [[1, 1000], [2, 800], [3, 700]])
      try services.clock.set("2026-12-07T18:00:00.000Z")
      _ = try await ben.send(SetLeaderboardVisibility.self, .init(isVisible: true))
      let shown = try await eva.leaderboard(.steps, "2026-11")
      #expect(shown.items.map(\.accountID) == [ana.id, ben.id, eva.id, luz.id] && shown.items.map(\.rank) == [1, 2, 2, 3])
      #expect(try await eva.leaderboard(.steps, "allTime").items.map(\.rank) == [1, 2, 3, 4])
      try await services.countsAreRight(in: [0, 202_611])
    }
  }

  @Test("A blocker and the blocked account do not see each other until the block ends, and others see both")
  func blocked() async throws {
    try await ServicesInProcess.ranking(at: "2026-12-10T12:00:00.000Z") { services in
      let ana = try await services.competitor()
      let ben = try await services.competitor()
      let eva = try await services.competitor()
      let team = ID<Team>()
      for (person, steps) in [(ana, 1000), (ben, 900), (eva, 800)] {
        try await services.walk(person, steps, on: "2026-11-20")
        try await services.walk(person, steps, on: "2026-12-10")
        try await services.join(team, person)
      }
      for (one, other) in [(ana, ben), (ana, eva)] { try await services.relate(one, other, areFriends: true) }
      for (blocker, blocked) in [(ben, eva), (eva, ben)] {
        try await services.relate(ben, eva, areFriends: true)
        try await services.relate(blocker, blocked, oneHasBlocked: true)
        for scope in LeaderboardScope.allCases {
          for (reader, other, ranks) in [(eva, ben, [1, 2]), (ben, eva, [1, 2])] {
            let present = try await reader.leaderboard(.steps, "2026-12", scope)
            #expect(!present.items.contains { $0.accountID == other.id } && present.items.map(\.rank) == ranks)
            #expect(present.me?.rank == 2 && !present.neighbours.contains { $0.accountID == other.id })
          }
          let past = try await eva.leaderboard(.coins, "2026-11", scope)
          #expect(past.items.map(\.accountID) == [ana.id, eva.id] && past.items.map(\.rank) == [1, 3])
          #expect(try await ana.leaderboard(.steps, "2026-12", scope).items.map(\.accountID) == [ana.id, ben.id, eva.id])
        }
        try await services.relate(blocker, blocked)
        #expect(try await eva.leaderboard(.steps, "2026-12").items.map(\.rank) == [1, 2, 3])
        // They are strangers now.
        #expect(try await eva.leaderboard(.steps, "2026-11", .friends).items.map(\.rank) == [1, 2])
      }
    }
  }

  @Test(
    "A hidden friend or member leaves a gap in past months' ranks, and one that left or was erased does not",
    arguments: Way.allCases)
  func groups(way: Way) async throws {
    try await ServicesInProcess.ranking(at: "2026-12-10T12:00:00.000Z") { services in
      let (ana, ben, eva) = (
        try await services.competitor(steps: 1000, on: "2026-11-20"), try await services.competitor(steps: 900, on: "2026-11-20"),
        try await services.competitor(steps: 800, on: "2026-11-20")
      )
      let team = ID<Team>()
      for person in [ana, ben, eva] { try await services.join(team, person) }
      for friend in [ana, ben] { try await services.relate(eva, friend, areFriends: true) }
      try await way.vanish(ben, services)
      for scope in [LeaderboardScope.friends, .team] {
        let ranks = try await eva.leaderboard(.steps, "2026-11", scope).items.map(\.rank)
        #expect(ranks == (way == .erased ? [1, 2] : [1, 3]), "\(scope)")
        #expect(try await eva.leaderboard(.steps, "allTime", scope).items.map(\.rank) == [1, 2], "\(scope)")
      }
      guard way != .erased else { return }
      try await services.relate(eva, ben)
      try await services.join(team, ben, isMember: false)
      for scope in [LeaderboardScope.friends, .team] {
        #expect(try await eva.leaderboard(.steps, "2026-11", scope).items.map(\.rank) == [1, 2], "\(scope)")
      }
    }
  }

  @Test("An account that becomes visible while suspended or without consent is shown once that ends")
  func chosenWhileHidden() async throws {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.competitor(steps: 500)
      let ben = try await services.competitor(steps: 900, isVisible: false)
      try await services.consent(ben, false)
      _ = try await ben.send(SetLeaderboardVisibility.self, .init(isVisible: true))
      #expect(try await ben.send(GetLeaderboardVisibility.self, .init()).isVisible)
      #expect(try await ana.leaderboard().items.map(\.accountID) == [ana.id])
      try await services.consent(ben, true)
      #expect(try await ana.leaderboard().items.map(\.accountID) == [ben.id, ana.id])
    }
  }

  @Test("Erasing an account leaves nothing of it on leaderboards, and late events count nothing")
  func erased() async throws {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.competitor(steps: 500)
      let ben = try await services.competitor(steps: 400)
      try await services.join(ID(), ana)
      try await services.delete(ana, receivedBy: .rewards)
      try await services.walk(ana, 900, on: "2026-11-21")
      try await services.join(ID(), ana)
      let store = services.store(of: .rewards)
      #expect(try await store.traces(of: ana.id) == [])
      #expect(try await ben.leaderboard().items.ranks == [[1, 400]])
      for table in ["leaderboard_people", "leaderboard_days"] { #expect(try await store.rows(table) == 1, "\(table)") }
      #expect(try await store.rows("leaderboard_scores") == 2)
      #expect(try await store.rows("team_members") == 0)
      try await services.countsAreRight(in: [0, 202_611])
    }
  }
}
