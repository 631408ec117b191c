import Client
import Cluster
import IdentityContract
import Operations
import RewardsContract
import Testing

extension Member {
  /// A partner of the account's own, let in by an administrator, with a logo, a place, a clerk, an offer with a picture, and a redemption of it.
  func keepShop(_ things: inout Things, _ administrator: GatewayClient, clerk: Member) async throws {
    let picture = Base64Bytes([UInt8](Picture.noise(width: 8, height: 8)))
    let own = try await client.call(
      RegisterPartner.self,
      .init(
        name: "Secret Café", about: "Coffee.", contact: "hello@cafe.example", logo: picture,
        places: [.init(address: "Calle Mayor 1", latitude: 40.4, longitude: -3.7)]))
    things.partner = own.partner.id
    things.partnerPlace = try #require(own.partner.places.first).id
    _ = try await administrator.call(DecidePartner.self, .init(partnerID: things.partner, decision: .approve))
    _ = try await client.call(AddPartnerMember.self, .init(username: clerk.account.username, role: .clerk))
    let now = Instant.now
    things.partnerOffer = try await client.call(
      CreatePartnerOffer.self,
      .init(
        title: "A cake", reward: "One cake", category: .food, costCoins: 1, stock: 10, validFrom: now.adding(seconds: -3600),
        validUntil: now.adding(seconds: 86_400))
    ).offer.id
    _ = try await client.call(PutOfferPicture.self, .init(offerID: things.partnerOffer, content: picture))
    // The coins for the steps come by an event.
    _ = try await eventually {
      try await client.callUntilDone(GetBalance.self, .init()).coins
    } until: {
      $0 >= 2
    }
    things.redemption = try await client.call(RedeemOffer.self, .init(offerID: things.partnerOffer)).id
  }
}
