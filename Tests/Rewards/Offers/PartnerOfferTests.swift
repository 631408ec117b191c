import InProcess
import Operations
import RewardsContract
import ServiceKit
import Testing

@testable import RewardsService

@Suite("A partner's own offers (REW-3)")
struct PartnerOfferTests {
  @Test("Offers can be prepared before the partner's approval, and are listed after it")
  func waiting() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let (owner, ana) = (try await services.register(), try await services.register())
      let id = try await owner.send(RegisterPartner.self, Shop.registration()).partner.id
      let shop = Shop(id: id, owner: owner, clerk: owner)
      let offer = try await shop.offer()
      #expect(try await ana.send(ListOffers.self, .init()).items.isEmpty)
      #expect(try await ana.failure(GetOffer.self, .init(offerID: offer.id)) == "offer_not_found")
      _ = try await services.administrator().send(DecidePartner.self, .init(partnerID: id, decision: .approve))
      #expect(try await ana.send(ListOffers.self, .init()).items.map(\.id) == [offer.id])
    }
  }

  @Test("Offers are edited, paused, resumed and withdrawn by the owner; redemptions keep their text and end")
  func life() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let ana = try await services.register()
      try await services.give(100, to: ana)
      let offer = try await shop.offer(stock: 3)
      let redemption = try await ana.send(RedeemOffer.self, .init(offerID: offer.id))
      let edited = try await shop.owner.send(
        UpdatePartnerOffer.self,
        .init(
          offerID: offer.id, title: .set("Tea"), reward: .set("One tea"), terms: .set(nil), costCoins: .set(7), stock: .set(9),
          validUntil: .set(try Instant(text: "2026-12-01T00:00:00.000Z"))))
      #expect(edited.offer.title == "Tea" && edited.offer.terms == nil && edited.stock == 9 && edited.offer.remaining == 8)
      _ = try await shop.owner.send(UpdatePartner.self, .init(name: .set("Tea House")))
      #expect(try await ana.send(ListOffers.self, .init()).items.isEmpty, "another name is let in anew")
      _ = try await services.administrator().send(DecidePartner.self, .init(partnerID: shop.id, decision: .approve))
      #expect(try await ana.send(ListOffers.self, .init(text: "tea house")).items.map(\.partnerName) == ["Tea House"])
      #expect(try await ana.send(ListRedemptions.self, .init()).items == [redemption])
      #expect(
        redemption.title == "Coffee for two" && redemption.terms == "Not on Sundays." && redemption.partnerName == "Café Central")
      // Whoever was shown another cost pays nothing.
      #expect(try await ana.failure(RedeemOffer.self, .init(offerID: offer.id, costCoins: 10)) == "offer_changed")
      #expect(try await ana.failure(RedeemOffer.self, .init(offerID: offer.id, costCoins: 7)) == nil)
      let reference = OfferReference(offerID: offer.id)
      #expect(try await shop.owner.send(PausePartnerOffer.self, reference).state == .paused)
      #expect(try await ana.send(ListOffers.self, .init()).items.isEmpty)
      #expect(try await ana.failure(RedeemOffer.self, .init(offerID: offer.id)) == "offer_paused")
      #expect(try await shop.owner.send(ResumePartnerOffer.self, reference).state == .open)
      #expect(try await ana.send(ListOffers.self, .init()).items.count == 1)
      #expect(try await shop.owner.send(WithdrawPartnerOffer.self, reference).state == .withdrawn)
      #expect(try await shop.owner.failure(ResumePartnerOffer.self, reference) == "offer_withdrawn")
      #expect(try await shop.clerk.send(ListPartnerOffers.self, .init()).items.map(\.state) == [.withdrawn])
    }
  }

  @Test("An offer's stock below its redemptions, an end before its beginning, and foreign places are refused")
  func faults() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let ana = try await services.register()
      try await services.give(100, to: ana)
      let offer = try await shop.offer(stock: 3)
      for _ in 0..<2 { _ = try await ana.send(RedeemOffer.self, .init(offerID: offer.id)) }
      func fields(_ input: UpdatePartnerOffer.Input) async throws -> [String] {
        try await shop.owner.refusedFields(UpdatePartnerOffer.self, input)
      }
      #expect(try await fields(.init(offerID: offer.id, stock: .set(1))) == ["stock below_redeemed"])
      let early = try Instant(text: "2026-01-01T00:00:00.000Z"), late = try Instant(text: "2027-06-01T00:00:00.000Z")
      #expect(try await fields(.init(offerID: offer.id, validUntil: .set(early))) == ["validUntil not_after"])
      #expect(try await fields(.init(offerID: offer.id, validFrom: .set(late))) == ["validFrom not_before"])
      #expect(try await fields(.init(offerID: offer.id, title: .set(" "))) == ["title empty"])
      let other = try await services.shop("Another")
      let place = try #require(try await other.owner.send(GetOwnPartner.self, .init()).partner.places.first?.id)
      #expect(try await fields(.init(offerID: offer.id, placeIDs: .set([place]))) == ["placeIDs[0] unknown_place"])
      // Another's offer is as one that there never was.
      for (code, failure) in [
        ("offer_not_found", try await other.owner.failure(UpdatePartnerOffer.self, .init(offerID: offer.id))),
        ("offer_not_found", try await other.owner.failure(PausePartnerOffer.self, .init(offerID: offer.id))),
        ("offer_not_found", try await other.owner.failure(WithdrawPartnerOffer.self, .init(offerID: offer.id))),
        ("forbidden", try await ana.failure(PausePartnerOffer.self, .init(offerID: offer.id))),
        ("forbidden", try await shop.clerk.failure(PausePartnerOffer.self, .init(offerID: offer.id))),
      ] { #expect(failure == code) }
    }
  }

  @Test("Offers are valid at all present and future places or at chosen ones, and a removed place leaves them")
  func places() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let first = try #require(try await shop.owner.send(GetOwnPartner.self, .init()).partner.places.first)
      let everywhere = try await shop.offer(title: "everywhere")
      let here = try await shop.offer(title: "here", places: [first.id])
      let second = try await shop.owner.send(
        CreatePartnerPlace.self, .init(address: "Gran Vía 1", latitude: 40.4193, longitude: -3.6984))
      func places(_ offer: Offer) async throws -> [String] {
        try await shop.owner.send(GetOffer.self, .init(offerID: offer.id)).places?.map(\.address) ?? []
      }
      #expect(try await places(everywhere) == [first.address, "Gran Vía 1"])
      #expect(try await places(here) == [first.address])
      let moved = try await shop.owner.send(
        UpdatePartnerPlace.self, .init(placeID: second.id, address: .set("Gran Vía 2"), latitude: .set(41)))
      #expect(moved.latitude == 41 && moved.longitude == -3.6984)
      #expect(
        try await shop.owner.send(ListOffers.self, .init(latitude: 41, longitude: -3.6984, radiusMeters: 10)).items.map(\.title)
          == ["everywhere"])
      _ = try await shop.owner.send(DeletePartnerPlace.self, .init(placeID: first.id))
      #expect(try await places(everywhere) == ["Gran Vía 2"])
      #expect(try await places(here).isEmpty)
      #expect(try await shop.owner.failure(DeletePartnerPlace.self, .init(placeID: first.id)) == "not_found")
      let other = try await services.shop("Another")
      #expect(try await other.owner.failure(UpdatePartnerPlace.self, .init(placeID: second.id)) == "not_found")
    }
  }

  @Test("An offer's picture is encoded again by the server, and has an address with its version")
  func picture() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let ana = try await services.register()
      let offer = try await shop.offer()
      #expect(try await ana.failure(GetOfferPicture.self, .init(offerID: offer.id)) == "not_found")
      #expect(
        try await shop.owner.refusedFields(PutOfferPicture.self, .init(offerID: offer.id, content: Base64Bytes([1])))
          == ["content picture_unknown"])
      let picture = try Shop.picture()
      _ = try await shop.owner.send(PutOfferPicture.self, .init(offerID: offer.id, content: picture))
      let url = try #require(try await ana.send(ListOffers.self, .init()).items[0].pictureURL?.description)
      let file = try await ana.send(GetOfferPicture.self, .init(offerID: offer.id, version: String(url.suffix(32))))
      #expect(file.isImmutable == true && file.mediaType == "image/png" && file.content != picture)
      _ = try await shop.owner.send(DeleteOfferPicture.self, .init(offerID: offer.id))
      #expect(try await ana.failure(GetOfferPicture.self, .init(offerID: offer.id)) == "not_found")
    }
  }

  @Test("Limits apply to an account in total and on one of its days, and voided redemptions do not count")
  func limits() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let (ana, ben) = (
        try await services.register(timeZone: "Europe/Madrid"), try await services.register(timeZone: "Europe/Madrid")
      )
      for person in [ana, ben] { try await services.give(100, to: person) }
      let offer = try await shop.offer(stock: 50, limitPerAccount: 3, limitPerDay: 2)
      func redeem(_ person: Person) async throws -> String? {
        try await person.failure(RedeemOffer.self, .init(offerID: offer.id))
      }
      #expect(try await redeem(ana) == nil)
      let second = try await ana.send(RedeemOffer.self, .init(offerID: offer.id))
      #expect(try await redeem(ana) == "offer_limit_reached")
      #expect(try await redeem(ben) == nil)
      _ = try await shop.owner.send(VoidPartnerRedemption.self, .init(redemptionID: second.id, reason: "No milk"))
      #expect(try await redeem(ana) == nil)
      // In Madrid the next day begins at 23:00 UTC.
      try services.clock.set("2026-11-21T23:00:00.000Z")
      #expect(try await redeem(ana) == nil)
      #expect(try await redeem(ana) == "offer_limit_reached")
    }
  }
}
