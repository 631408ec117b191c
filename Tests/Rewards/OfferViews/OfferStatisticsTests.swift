import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Statistics of a partner's offers (REW-3)")
struct OfferStatisticsTests {
  @Test(
    "Statistics count views once per account and day, redemptions and used codes daily, without storing by whom"
  )
  func statistics() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let (ana, ben) = (try await services.register(), try await services.register())
      try await services.give(100, to: ana)
      let (coffee, cake) = (try await shop.offer(), try await shop.offer(title: "Cake"))
      for _ in 0..<3 { _ = try await ana.send(GetOffer.self, .init(offerID: coffee.id)) }
      _ = try await ben.send(GetOffer.self, .init(offerID: coffee.id))
      _ = try await ben.send(GetOffer.self, .init(offerID: cake.id))
      let redemption = try await ana.send(RedeemOffer.self, .init(offerID: coffee.id))
      try services.clock.set("2026-11-22T00:00:00.000Z")
      _ = try await ana.send(GetOffer.self, .init(offerID: coffee.id))
      _ = try await shop.clerk.send(UseCode.self, .init(code: try #require(redemption.code).description))
      let (first, second) = (try LocalDay(text: "2026-11-21"), try LocalDay(text: "2026-11-22"))
      func statistics(_ offer: Offer?, as person: Person) async throws -> [OfferStatistics] {
        try await person.send(GetOfferStatistics.self, .init(offerID: offer?.id, from: first, to: second)).days
      }
      let later = OfferStatistics(day: second, views: 1, redemptions: 0, uses: 1)
      #expect(
        try await statistics(coffee, as: shop.clerk) == [OfferStatistics(day: first, views: 2, redemptions: 1, uses: 0), later])
      #expect(
        try await statistics(nil, as: shop.owner) == [OfferStatistics(day: first, views: 3, redemptions: 1, uses: 0), later])
      let store = services.store(of: .rewards)
      #expect(try await store.rows("offer_viewers") == 4)
      try await OfferEndWorker(store: store).sweep()
      #expect(try await store.rows("offer_viewers") == 1)
      let other = try await services.shop("Another")
      #expect(
        try await other.owner.failure(GetOfferStatistics.self, .init(offerID: coffee.id, from: first, to: second))
          == "offer_not_found")
      #expect(try await ana.failure(GetOfferStatistics.self, .init(from: first, to: second)) == "forbidden")
      #expect(
        try await shop.owner.refusedFields(GetOfferStatistics.self, .init(from: second, to: first)) == ["to not_after"])
      #expect(
        try await shop.owner.refusedFields(GetOfferStatistics.self, .init(from: first, to: first.advanced(by: 366)))
          == ["to too_many_days"])
    }
  }

  @Test("Erasing an account removes its views, and keeps the counts")
  func erasure() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let ana = try await services.register()
      let offer = try await shop.offer()
      _ = try await ana.send(GetOffer.self, .init(offerID: offer.id))
      try await services.delete(ana, receivedBy: .rewards)
      #expect(try await services.store(of: .rewards).traces(of: ana.id) == [])
      let today = try LocalDay(text: "2026-11-21")
      #expect(try await shop.owner.send(GetOfferStatistics.self, .init(from: today, to: today)).days.map(\.views) == [1])
    }
  }
}
