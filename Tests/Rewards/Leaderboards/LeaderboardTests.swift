import ActivityContract
import ActivityService
import IdentityContract
import InProcess
import Operations
import RewardsContract
import RewardsService
import ServiceKit
import SocialContract
import Storage
import Testing

@Suite("Leaderboards (REW-6, E UC-05)")
struct LeaderboardTests {
  @Test("E UC-05 main: a ranked list by steps and by coins can be scrolled, and filtered by period and people")
  func main() async throws {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.competitor(steps: 5230)
      let ben = try await services.competitor(steps: 8100)
      let eva = try await services.competitor(steps: 8100)
      let tom = try await services.competitor(steps: 310)
      try await services.walk(ana, 4000, on: "2026-10-30")
      let steps = try await ana.leaderboard()
      #expect(steps.period.description == "2026-11" && steps.message == nil)
      #expect(steps.items.ranks == [[1, 8100], [1, 8100], [3, 5230], [4, 310]])
      #expect(
        Set(steps.items.prefix(2).map(\.accountID)) == [ben.id, eva.id]
          && steps.items.map(\.isMe) == [false, false, true, false])
      #expect(steps.items[2].username == (try services.identity.username(of: ana.id)))
      let coins = try await ana.leaderboard(.coins)
      #expect(coins.items.ranks == [[1, 81], [1, 81], [3, 52], [4, 3]] && coins.me?.rank == 3)
      #expect(try await ana.wholeLeaderboard(limit: 1) == steps.items)
      #expect(try await ana.leaderboard(.steps, "2026-10").items.ranks == [[1, 4000]])
      #expect(try await ana.leaderboard(.steps, "allTime").items.ranks == [[1, 9230], [2, 8100], [2, 8100], [4, 310]])
      try await services.relate(ana, tom, areFriends: true)
      #expect(try await ana.leaderboard(.steps, nil, .friends).items.map(\.accountID) == [ana.id, tom.id])
    }
  }

  @Test("E UC-05, AF-01: an empty leaderboard shows the source's message, and one's own rank")
  func notAvailableYet() async throws {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.register()
      let empty = try await ana.leaderboard()
      #expect(empty.message == "Leaderboard not available yet." && empty.items.isEmpty && empty.nextCursor == nil)
      #expect(empty.me?.rank == 1 && empty.me?.score == 0 && empty.neighbours.map(\.accountID) == [ana.id])
      let luz = try await services.register(language: .spanish)
      for scope in LeaderboardScope.allCases {
        for period in ["2026-11", "2026-10", "2031-01", "allTime"] {
          #expect(try await luz.leaderboard(.coins, period, scope).message == "La clasificación aún no está disponible.")
        }
      }
      // In no team there is no rank in it either.
      let team = try await luz.leaderboard(.steps, nil, .team)
      #expect(team.me == nil && team.neighbours.isEmpty)
      _ = try await services.competitor(steps: 100)
      #expect(try await ana.leaderboard().message == nil)
    }
  }

  @Test("Only accounts that choose to be visible are shown and counted; one's own rank is always shown")
  func chosen() async throws {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.competitor(steps: 900, isVisible: false)
      let ben = try await services.competitor(steps: 500)
      let eva = try await services.competitor(steps: 300)
      #expect(try await ana.send(GetLeaderboardVisibility.self, .init()) == LeaderboardVisibility(isVisible: false))
      #expect(try await ben.send(GetLeaderboardVisibility.self, .init()) == LeaderboardVisibility(isVisible: true))
      #expect(try await ben.leaderboard().items.ranks == [[1, 500], [2, 300]])
      let own = try await ana.leaderboard()
      #expect(own.items.ranks == [[1, 500], [2, 300]] && own.me?.rank == 1 && own.me?.isMe == true)
      #expect(own.neighbours.map(\.accountID) == [ana.id, ben.id, eva.id] && own.neighbours.map(\.rank) == [1, 1, 2])
      _ = try await ana.send(SetLeaderboardVisibility.self, .init(isVisible: true), key: "seen")
      #expect(try await eva.leaderboard().items.ranks == [[1, 900], [2, 500], [3, 300]])
      #expect(try await eva.leaderboard(.coins, "allTime").me?.rank == 3)
      _ = try await ana.send(SetLeaderboardVisibility.self, .init(isVisible: false), key: "unseen")
      #expect(try await eva.leaderboard().items.ranks == [[1, 500], [2, 300]])
      try await services.countsAreRight(in: [0, 202_611])
    }
  }

  @Test("One's own rank is shown between up to five neighbours on each side, on every page, and ties share a rank")
  func neighbours() async throws {
    try await ServicesInProcess.ranking { services in
      var people: [Person] = []
      for index in 0..<16 { people.append(try await services.competitor(steps: 1000 + index / 2 * 100)) }
      let all = try await people[0].leaderboard().items
      for reader in [people[7], people[8], people[0], people[15]] {
        let page = try await reader.leaderboard(limit: 1)
        let index = try #require(all.firstIndex { $0.accountID == reader.id })
        let around = all[max(0, index - 5)...min(15, index + 5)]
        #expect(page.neighbours.map(\.accountID) == around.map(\.accountID) && page.neighbours.map(\.rank) == around.map(\.rank))
        #expect(page.items.count == 1 && page.me?.rank == all[index].rank)
      }
      #expect(all.map(\.rank) == (0..<16).map { $0 / 2 * 2 + 1 })
    }
  }

  @Test("A month is that of each account's own days, and by default the reader's current one")
  func localMonths() async throws {
    try await ServicesInProcess.ranking(at: "2026-11-30T12:00:00.000Z") { services in
      // In Kiritimati it is December already.
      let ana = try await services.competitor(timeZone: "Pacific/Kiritimati")
      let ben = try await services.competitor(timeZone: "Pacific/Pago_Pago")
      try await services.walk(ana, 700, on: "2026-12-01")
      try await services.walk(ben, 300, on: "2026-11-30")
      #expect(try await ana.leaderboard().period.description == "2026-12")
      #expect(try await ana.leaderboard().items.ranks == [[1, 700]])
      #expect(try await ben.leaderboard().period.description == "2026-11")
      #expect(try await ben.leaderboard().items.ranks == [[1, 300]])
      #expect(try await ben.leaderboard(.coins, "2026-12").items.ranks == [[1, 7]])
    }
  }

  @Test("Flagged and late steps do not count, and all others do, even beyond the cap of coins")
  func earning() async throws {
    try await ServicesInProcess.running([
      { try Rewards.service($0) }, { Activities.service($0) }, { _ in ServiceDefinition(.social, migrations: []) },
    ]) { services in
      let ana = try await services.competitor()
      try await ana.walk("a", steps: 1250, until: "2026-11-21T09:00:00Z")
      // More than anybody walks in five minutes.
      try await ana.walk("flagged", steps: 9000, minutes: 5, until: "2026-11-20T10:00:00Z")
      try await ana.walk("late", steps: 900, until: "2026-11-14T10:00:00Z")
      try await services.hasReceived(.rewards, of: .activity)
      #expect(try await ana.leaderboard().items.ranks == [[1, 1250]])
      try await ana.walk("b", steps: 30_000, minutes: 300, until: "2026-11-19T20:00:00Z")
      try await services.hasReceived(.rewards, of: .activity)
      #expect(try await ana.leaderboard().items.ranks == [[1, 31_250]])
      #expect(try await ana.leaderboard(.coins).items.ranks == [[1, 212]])
    }
  }

  @Test("Corrections change ranks until no steps of the month can earn any more, and then ranks are final")
  func corrections() async throws {
    try await ServicesInProcess.ranking(at: "2026-12-03T12:00:00.000Z") { services in
      let ana = try await services.competitor(steps: 900, on: "2026-11-30")
      let ben = try await services.competitor(steps: 800, on: "2026-11-30")
      #expect(try await ana.leaderboard(.steps, "2026-11").me?.rank == 1)
      try await services.walk(ana, 300, on: "2026-11-30", recordedOn: "2026-12-03")
      #expect(try await ana.leaderboard(.steps, "2026-11").items.map(\.accountID) == [ben.id, ana.id])
      #expect(try await ana.leaderboard(.coins, "2026-11").items.ranks == [[1, 8], [2, 3]])
      try await services.walk(ana, 850, on: "2026-11-30", recordedOn: "2026-12-06")
      #expect(try await ana.leaderboard(.steps, "2026-11").me?.rank == 1)
      try services.clock.set("2026-12-07T12:00:00.000Z")
      try await services.walk(ana, 9000, on: "2026-11-30", recordedOn: "2026-12-07")
      try await services.walk(ben, 9000, on: "2026-11-30", recordedOn: "2026-12-08")
      #expect(try await ana.leaderboard(.steps, "2026-11").items.ranks == [[1, 850], [2, 800]])
      try await services.countsAreRight(in: [0, 202_611])
    }
  }

  @Test("Friends and team members are ranked among themselves, the reader included")
  func scopes() async throws {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.competitor(steps: 500, isVisible: false)
      let ben = try await services.competitor(steps: 600)
      let eva = try await services.competitor(steps: 400)
      let tom = try await services.competitor(steps: 700, isVisible: false)
      let stranger = try await services.competitor(steps: 9999)
      for friend in [ben, eva, tom] { try await services.relate(ana, friend, areFriends: true) }
      let friends = try await ana.leaderboard(.steps, nil, .friends, limit: 1)
      #expect(friends.items.map(\.accountID) == [ben.id] && friends.me?.rank == 2)
      #expect(friends.neighbours.map(\.accountID) == [ben.id, ana.id, eva.id] && friends.neighbours.map(\.rank) == [1, 2, 2])
      #expect(try await ana.wholeLeaderboard(.steps, nil, .friends, limit: 1).ranks == [[1, 600], [2, 400]])
      #expect(try await stranger.leaderboard(.steps, nil, .friends).items.map(\.accountID) == [stranger.id])
      try await services.relate(ana, ben, areFriends: false)
      #expect(try await ana.leaderboard(.steps, nil, .friends).items.ranks == [[1, 400]])
      let team = ID<Team>()
      for member in [ana, eva, stranger] { try await services.join(team, member) }
      #expect(try await ana.leaderboard(.coins, nil, .team).items.map(\.accountID) == [stranger.id, eva.id])
      #expect(try await eva.leaderboard(.coins, "allTime", .team).me?.rank == 2)
      try await services.join(team, stranger, isMember: false)
      #expect(try await eva.leaderboard(.coins, nil, .team).items.map(\.accountID) == [eva.id])
      #expect(try await stranger.leaderboard(.coins, nil, .team).me == nil)
      #expect(try await ben.leaderboard(.coins, nil, .team).items.isEmpty)
    }
  }
}
