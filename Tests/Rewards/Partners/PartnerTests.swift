import InProcess
import Operations
import RewardsContract
import ServiceKit
import Testing

@testable import RewardsService

@Suite("Partner companies (REW-3)")
struct PartnerTests {
  @Test("A company registers with logo and places, waits, and is visible to everybody once an administrator approves it")
  func register() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      var registration = Shop.registration()
      registration.logo = try Shop.picture()
      let own = try await ana.send(RegisterPartner.self, registration)
      #expect(own.state == .pending && own.role == .owner && own.contact == "hello@cafe.example" && !own.isWithoutOwner)
      #expect(own.partner.places.map(\.address) == [Shop.sol.address])
      #expect(try await ana.send(GetOwnPartner.self, .init()) == own)
      // Until then it is its own affair.
      let reference = PartnerReference(partnerID: own.partner.id)
      #expect(try await ben.failure(GetPartner.self, reference) == "partner_not_found")
      #expect(try await ben.failure(GetPartnerLogo.self, .init(partnerID: own.partner.id)) == "not_found")
      #expect(try await ana.failure(GetPartnerLogo.self, .init(partnerID: own.partner.id)) == nil)
      #expect(try await ben.failure(GetOwnPartner.self, .init()) == "partner_not_found")
      let administrator = try services.administrator()
      #expect(try await administrator.send(ListPartners.self, .init()).items.map(\.partner.id) == [own.partner.id])
      let decided = try await administrator.send(DecidePartner.self, .init(partnerID: own.partner.id, decision: .approve))
      #expect(decided.state == .approved && decided.decidedAt == services.clock.now && decided.role == nil)
      #expect(try await administrator.send(ListPartners.self, .init()).items.isEmpty)
      #expect(try await administrator.send(ListPartners.self, .init(state: .approved)).items.count == 1)
      let shown = try await ben.send(GetPartner.self, reference)
      #expect(shown == own.partner)
      // The address has the version, so that the answer can be kept for good.
      let url = try #require(shown.logoURL?.description)
      let logo = try await ben.send(
        GetPartnerLogo.self, .init(partnerID: own.partner.id, version: String(url.suffix(32))))
      #expect(logo.isImmutable == true && logo.mediaType == "image/png")
      let event = try PartnerDecided.decode(try #require(try await services.published(by: .rewards).last).body)
      #expect(event.accountID == ana.id && event.state == .approved && event.reason == nil)
    }
  }

  @Test("An account can register one company, with the required data and a verified address")
  func refused() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      let stranger = try await services.register(isVerified: false)
      #expect(try await stranger.failure(RegisterPartner.self, Shop.registration()) == "verification_required")
      let bad = RegisterPartner.Input(
        name: " ", about: "x", contact: "a\u{202E}b", places: [.init(address: "", latitude: 91, longitude: -181)])
      #expect(
        Set(try await ana.refusedFields(RegisterPartner.self, bad))
          == [
            "name empty", "contact control_character", "places[0].address empty", "places[0].latitude out_of_range",
            "places[0].longitude out_of_range",
          ])
      var registration = Shop.registration()
      registration.logo = Base64Bytes([1, 2, 3])
      #expect(try await ana.refusedFields(RegisterPartner.self, registration) == ["logo picture_unknown"])
      _ = try await ana.send(RegisterPartner.self, Shop.registration())
      #expect(try await ana.failure(RegisterPartner.self, Shop.registration("Another")) == "already_in_partner")
    }
  }

  @Test("A registration with a logo repeated with its key gets the first answer")
  func repeated() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      var registration = Shop.registration()
      registration.logo = try Shop.picture()
      let first = try await ana.send(RegisterPartner.self, registration, key: "once")
      #expect(try await ana.send(RegisterPartner.self, registration, key: "once") == first)
      #expect(try await ana.failure(RegisterPartner.self, registration, key: "again") == "already_in_partner")
    }
  }

  @Test("A refused or suspended company gets the reason, and a refused one applies again by an edit")
  func decisions() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.send(RegisterPartner.self, Shop.registration()).partner.id
      let administrator = try services.administrator()
      func decide(_ decision: PartnerDecision, _ reason: String? = nil) async throws -> String? {
        try await administrator.failure(DecidePartner.self, .init(partnerID: id, decision: decision, reason: reason))
      }
      #expect(
        try await administrator.refusedFields(DecidePartner.self, .init(partnerID: id, decision: .refuse)) == ["reason required"])
      #expect(try await decide(.suspend, "No.") == "partner_decided_otherwise")
      #expect(try await decide(.refuse, "The address does not exist.") == nil)
      var own = try await ana.send(GetOwnPartner.self, .init())
      #expect(own.state == .refused && own.reason == "The address does not exist.")
      own = try await ana.send(UpdatePartner.self, .init(about: .set("Coffee.")))
      #expect(own.state == .pending && own.reason == nil && own.partner.about == "Coffee.")
      #expect(try await decide(.approve) == nil)
      #expect(try await decide(.suspend, "Codes are not taken.") == nil)
      own = try await ana.send(GetOwnPartner.self, .init())
      #expect(own.state == .suspended && own.reason == "Codes are not taken.")
      let published = try await services.published(by: .rewards).filter { $0.name == PartnerDecided.spec.name }
      #expect(try published.map { try PartnerDecided.decode($0.body).state } == [.refused, .approved, .suspended])
      #expect(try await decide(.approve) == nil)
      #expect(
        try await administrator.failure(DecidePartner.self, .init(partnerID: PartnerID(), decision: .approve))
          == "partner_not_found")
      #expect(
        try await ana.failure(DecidePartner.self, .init(partnerID: id, decision: .approve)) == "forbidden")
    }
  }

  @Test("An administrator cannot decide about a company of their own")
  func ownCompany() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let administrator = try services.administrator()
      let id = try await administrator.send(RegisterPartner.self, Shop.registration()).partner.id
      #expect(
        try await administrator.failure(DecidePartner.self, .init(partnerID: id, decision: .approve)) == "forbidden")
    }
  }

  @Test("A partner's offers pause while it is suspended, and its codes stay valid")
  func suspended() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let ana = try await services.register()
      try await services.give(100, to: ana)
      let offer = try await shop.offer()
      let redemption = try await ana.send(RedeemOffer.self, .init(offerID: offer.id))
      let administrator = try services.administrator()
      _ = try await administrator.send(DecidePartner.self, .init(partnerID: shop.id, decision: .suspend, reason: "Why."))
      #expect(try await ana.send(ListOffers.self, .init()).items.isEmpty)
      #expect(try await ana.failure(RedeemOffer.self, .init(offerID: offer.id)) == "offer_paused")
      #expect(try await ana.failure(GetPartner.self, .init(partnerID: shop.id)) == "partner_not_found")
      // Whoever redeemed it sees it still.
      #expect(try await ana.failure(GetOffer.self, .init(offerID: offer.id)) == nil)
      #expect(try await services.register().failure(GetOffer.self, .init(offerID: offer.id)) == "offer_not_found")
      for failure in [
        try await shop.owner.failure(ResumePartnerOffer.self, .init(offerID: offer.id)),
        try await shop.owner.failure(UpdatePartnerOffer.self, .init(offerID: offer.id)),
      ] { #expect(failure == "partner_not_approved") }
      let code = try #require(redemption.code).description
      #expect(try await shop.clerk.send(UseCode.self, .init(code: code)).state == .used)
      _ = try await administrator.send(DecidePartner.self, .init(partnerID: shop.id, decision: .approve))
      #expect(try await ana.send(ListOffers.self, .init()).items.map(\.id) == [offer.id])
    }
  }
}
