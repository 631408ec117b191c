import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Offers that end soon, for accounts that want to be notified (NOT-5)")
struct ExpiringOfferTests {
  private func titles(_ services: ServicesInProcess, _ person: Person) async throws -> [String] {
    let now = services.clock.now
    return try await services.store(of: .rewards).read { database in
      try ExpiringOfferHandlers(noticeDays: 3).offers([person.id], at: now, database).accounts[0].items.map(\.title)
    }
  }

  @Test("Offers ending soon are those that an account can afford and has not redeemed, the first to end first")
  func offers() async throws {
    try await ServicesInProcess.ranking { services in
      let (ana, ben) = (try await services.competitor(steps: 5000), try await services.competitor(steps: 900))
      _ = try await services.publish(title: "Later", cost: 10, until: "2026-11-24T13:00:00.000Z")
      _ = try await services.publish(title: "Dear", cost: 51, until: "2026-11-22T00:00:00.000Z")
      _ = try await services.publish(title: "Third day", cost: 10, until: "2026-11-24T12:00:00.000Z")
      let first = try await services.publish(title: "First", cost: 10, until: "2026-11-22T00:00:00.000Z")
      _ = try await services.publish(
        title: "Not yet", cost: 1, from: "2026-11-22T00:00:00.000Z", until: "2026-11-23T00:00:00.000Z")
      #expect(try await titles(services, ana) == ["First", "Third day"])
      #expect(try await titles(services, ben).isEmpty)
      _ = try await ana.send(RedeemOffer.self, .init(offerID: first.id), key: "once")
      #expect(try await titles(services, ana) == ["Third day"])
      try services.clock.set("2026-11-24T12:00:00.000Z")
      #expect(try await titles(services, ana) == ["Later"])
      #expect(try await ana.failure(GetExpiringOffers.self, .init(accountIDs: [ana.id])) != nil)
    }
  }
}
