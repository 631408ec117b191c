import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Ranks among friends, for accounts that want to be notified of lost ones (NOT-5)")
struct FriendRankTests {
  @Test("A rank among friends is by the month's steps, and only for accounts visible on leaderboards")
  func ranks() async throws {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.competitor(steps: 500)
      let ben = try await services.competitor(steps: 900)
      let (eve, hidden) = (try await services.competitor(steps: 800), try await services.competitor(steps: 700, isVisible: false))
      let idle = try await services.competitor()
      for other in [ben, hidden, idle] { try await services.relate(ana, other, areFriends: true) }
      let now = services.clock.now
      let people = [ana, ben, eve, hidden, idle].map(\.id)
      let ranks = try await services.store(of: .rewards).read { database in
        try FriendRankHandlers(calendars: AccountCalendars()).ranks(people, at: now, database)
      }
      #expect(ranks.map(\.rank) == [2, 1, 1, nil, nil])
      #expect(ranks.allSatisfy { $0.month.description == "2026-11-01" })
      #expect(try await ana.failure(GetFriendRanks.self, .init(accountIDs: [ana.id])) != nil)
    }
  }
}
