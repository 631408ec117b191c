import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Places among friends, for those who ask to be told (NOT-5)")
struct FriendPlaceTests {
  @Test("A place among friends is that of the month's steps, for who is seen on leaderboards alone")
  func places() async throws {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.competitor(steps: 500)
      let ben = try await services.competitor(steps: 900)
      let (eve, hidden) = (try await services.competitor(steps: 800), try await services.competitor(steps: 700, isSeen: false))
      let idle = try await services.competitor()
      for other in [ben, hidden, idle] { try await services.relate(ana, other, areFriends: true) }
      let now = services.clock.now
      let people = [ana, ben, eve, hidden, idle].map(\.id)
      let places = try await services.store(of: .rewards).read { try FriendPlaceHandlers().places(people, at: now, $0) }
      #expect(places.map(\.rank) == [2, 1, 1, nil, nil])
      #expect(places.allSatisfy { $0.month.description == "2026-11-01" })
      #expect(try await ana.failure(ReadFriendPlaces.self, .init(accountIDs: [ana.id])) != nil)
    }
  }
}
