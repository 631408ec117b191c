import Foundation
import InProcess
import Operations
import RewardsContract
import RewardsService
import ServiceKit
import Testing

@Suite("Offers")
struct OffersTests {
  @Test("Offers can be published by administrators only")
  func create() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let offer = try await services.publish(cost: 250, stock: 3)
      #expect(offer.remaining == 3 && offer.costCoins == 250)
      let ana = try await services.register()
      #expect(try await ana.send(GetOffer.self, .init(offerID: offer.id)) == offer)
      #expect(try await ana.failure(CreateOffer.self, try services.offer(cost: 1, stock: 1)) == "forbidden")
      #expect(try await ana.failure(GetOffer.self, .init(offerID: OfferID())) == "offer_not_found")
    }
  }

  @Test("Offers are listed while they are valid, the first to end first, page by page")
  func list() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      var titles: [String] = []
      for number in 1...5 {
        titles.append(try await services.publish(title: "\(number)", until: "2026-12-0\(number / 2 + 1)T00:00:00.000Z").title)
      }
      _ = try await services.publish(title: "over", from: "2026-11-01T00:00:00.000Z", until: "2026-11-21T12:00:00.000Z")
      _ = try await services.publish(title: "not yet", from: "2026-11-21T12:00:00.001Z", until: "2026-12-31T00:00:00.000Z")
      var listed: [String] = []
      var cursor: PageCursor?
      repeat {
        let page = try await ana.send(ListOffers.self, .init(limit: 2, cursor: cursor))
        listed += page.items.map(\.title)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(listed == titles)
      let other = try #require(try await ana.send(ListOffers.self, .init(limit: 1)).nextCursor)
      #expect(try await ana.refusedFields(ListRedemptions.self, .init(cursor: other)) == ["cursor invalid_cursor"])
    }
  }

  @Test("Offers cannot end before they begin")
  func validity() throws {
    let input = CreateOffer.Input(
      title: "x", reward: "x", partnerName: "x", costCoins: 1, stock: 1, validFrom: Instant(milliseconds: 1),
      validUntil: Instant(milliseconds: 1))
    let failure = #expect(throws: Failure.self) { try CreateOffer.Input.decode(input.json) }
    #expect(failure?.fields.map { "\($0.field) \($0.code)" } == ["validUntil not_after"])
  }

  @Test("Offers cannot have characters in title or partner's name that change the writing direction")
  func marks() throws {
    let input = CreateOffer.Input(
      title: "a\u{202E}b", reward: "\u{202E}x", partnerName: "\u{2066}c", costCoins: 1, stock: 1,
      validFrom: Instant(milliseconds: 1),
      validUntil: Instant(milliseconds: 2))
    let failure = #expect(throws: Failure.self) { try CreateOffer.Input.decode(input.json) }
    #expect(failure?.fields.map { "\($0.field) \($0.code)" } == ["title control_character", "partnerName control_character"])
  }

  @Test("Offers of the operator's file are published at start, once")
  func file() async throws {
    let json = #"""
      {"offers": [{"id": "019aa5a0-0000-7000-8000-000000000001", "title": "Coffee", "reward": "A coffee",
        "partnerName": "Café Central", "costCoins": 50, "stock": 10,
        "validFrom": "2026-11-01T00:00:00Z", "validUntil": "2027-11-01T00:00:00Z"}]}
      """#
    try await ServicesInProcess.running(
      [{ try Rewards.service($0) }], prepare: { try Data(json.utf8).write(to: URL(fileURLWithPath: "\($0.path)/offers.json")) }
    ) { services in
      let ana = try await services.register()
      // Published by a worker that starts with the service.
      let items = try await ana.answer(from: .rewards) { () -> [Offer]? in
        let items = try await ana.send(ListOffers.self, .init()).items
        return items.isEmpty ? nil : items
      }
      #expect(items.map(\.title) == ["Coffee"] && items[0].remaining == 10)
    }
  }

  @Test("An error in the file of offers stops the start and names the field")
  func badFile() async throws {
    let error = await #expect(throws: (any Error).self) {
      try await ServicesInProcess.running(
        [{ try Rewards.service($0) }],
        prepare: { try Data(#"{"offers":[{"title":"x"}]}"#.utf8).write(to: URL(fileURLWithPath: "\($0.path)/offers.json")) }
      ) { _ in }
    }
    #expect("\(try #require(error))".contains("offers.json cannot be used: invalid_fields offers[0].id: required"))
  }
}

extension ServicesInProcess {
  func offer(
    title: String = "Coffee for two", cost: Int, stock: Int, from: String = "2026-11-01T00:00:00.000Z",
    until: String = "2026-12-31T00:00:00.000Z"
  ) throws -> CreateOffer.Input {
    CreateOffer.Input(
      title: title, reward: "Two coffees", partnerName: "Café Central", costCoins: cost, stock: stock,
      validFrom: try Instant(text: from), validUntil: try Instant(text: until))
  }

  func publish(
    title: String = "Coffee for two", cost: Int = 10, stock: Int = 5, from: String = "2026-11-01T00:00:00.000Z",
    until: String = "2026-12-31T00:00:00.000Z"
  ) async throws -> Offer {
    try await administrator().send(CreateOffer.self, try offer(title: title, cost: cost, stock: stock, from: from, until: until))
  }
}
