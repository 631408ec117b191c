import Foundation
import InProcess
import Operations
import RewardsContract
import Testing

@testable import RewardsService

/// A partner in tests: its owner, a clerk, and what it offers.
struct Shop: Sendable {
  let id: PartnerID
  let owner: Person
  let clerk: Person

  static let sol = PartnerPlaceDraft(address: "Puerta del Sol 1, Madrid", latitude: 40.4168, longitude: -3.7038)

  static func picture() throws -> Base64Bytes {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return Base64Bytes(Array(try Data(contentsOf: tests.appendingPathComponent("Images/Fixtures/text.png"))))
  }

  static func registration(_ name: String = "Café Central", places: [PartnerPlaceDraft] = [sol]) -> RegisterPartner.Input {
    RegisterPartner.Input(name: name, about: "Coffee and cakes.", contact: "hello@cafe.example", places: places)
  }

  /// Publishes an offer of the partner.
  func offer(
    title: String = "Coffee for two", cost: Int = 10, stock: Int = 5, category: OfferCategory = .drinks,
    from: String = "2026-11-01T00:00:00.000Z", until: String = "2026-12-31T00:00:00.000Z", places: [PartnerPlaceID]? = nil,
    limitPerAccount: Int? = nil, limitPerDay: Int? = nil, codeValidDays: Int? = nil
  ) async throws -> Offer {
    try await owner.send(
      CreatePartnerOffer.self,
      .init(
        title: title, reward: "Two coffees", terms: "Not on Sundays.", category: category, costCoins: cost, stock: stock,
        validFrom: try Instant(text: from), validUntil: try Instant(text: until), placeIDs: places,
        limitPerAccount: limitPerAccount, limitPerDay: limitPerDay, codeValidDays: codeValidDays)
    ).offer
  }
}

extension ServicesInProcess {
  /// A partner that was let in, with an owner and a clerk.
  func shop(_ name: String = "Café Central", places: [PartnerPlaceDraft] = [Shop.sol]) async throws -> Shop {
    let (owner, clerk) = (try await register(), try await register())
    let partner = try await owner.send(RegisterPartner.self, Shop.registration(name, places: places)).partner
    _ = try await administrator().send(DecidePartner.self, .init(partnerID: partner.id, decision: .approve))
    _ = try await owner.send(AddPartnerMember.self, .init(username: try identity.username(of: clerk.id), role: .clerk))
    return Shop(id: partner.id, owner: owner, clerk: clerk)
  }
}
