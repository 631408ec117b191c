import IdentityContract
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("A partner's members (REW-3)")
struct PartnerMemberTests {
  @Test("An owner grants and revokes roles; clerks can read and use codes, and change nothing")
  func roles() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let eva = try await services.register()
      let evasName = try services.identity.username(of: eva.id)
      #expect(
        try await shop.clerk.send(ListPartnerMembers.self, .init()).members.map(\.role) == [.owner, .clerk])
      for failure in [
        try await shop.clerk.failure(AddPartnerMember.self, .init(username: evasName, role: .clerk)),
        try await shop.clerk.failure(UpdatePartner.self, .init()),
        try await shop.clerk.failure(DeletePartnerLogo.self, .init()),
        try await shop.clerk.failure(CreatePartnerPlace.self, Shop.sol),
        try await shop.clerk.failure(RemovePartnerMember.self, .init(accountID: shop.owner.id)),
        try await eva.failure(ListPartnerMembers.self, .init()), try await eva.failure(UseCode.self, .init(code: "x")),
      ] { #expect(failure == "forbidden") }
      #expect(
        try await shop.owner.refusedFields(
          AddPartnerMember.self, .init(username: try Username(text: "nobody.there"), role: .clerk))
          == ["username unknown_user"])
      let members = try await shop.owner.send(AddPartnerMember.self, .init(username: evasName, role: .owner)).members
      #expect(members.map(\.role) == [.owner, .clerk, .owner])
      // A clerk of another partner is one nowhere else.
      let other = try await services.shop("Another")
      #expect(
        try await other.owner.failure(AddPartnerMember.self, .init(username: evasName, role: .clerk)) == "already_in_partner")
      #expect(try await other.owner.failure(RemovePartnerMember.self, .init(accountID: eva.id)) == "not_found")
      // An ex-clerk is let in no more.
      _ = try await eva.send(RemovePartnerMember.self, .init(accountID: shop.clerk.id))
      #expect(try await shop.clerk.failure(ListPartnerMembers.self, .init()) == "forbidden")
      #expect(try await shop.clerk.failure(UseCode.self, .init(code: "7H2K-9QMX-0TZC-4BVR")) == "forbidden")
    }
  }

  @Test("A partner's last owner can neither become a clerk nor be removed, and can only leave")
  func lastOwner() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let ownersName = try services.identity.username(of: shop.owner.id)
      let offer = try await shop.offer()
      #expect(
        try await shop.owner.failure(RemovePartnerMember.self, .init(accountID: shop.owner.id)) == "last_partner_owner")
      #expect(
        try await shop.owner.failure(AddPartnerMember.self, .init(username: ownersName, role: .clerk)) == "last_partner_owner")
      _ = try await shop.owner.send(
        AddPartnerMember.self, .init(username: try services.identity.username(of: shop.clerk.id), role: .owner))
      _ = try await shop.owner.send(LeavePartner.self, .init(), key: "leave")
      // Whoever lacks the answer asks again, and no longer belongs to it.
      _ = try await shop.owner.send(LeavePartner.self, .init(), key: "leave")
      #expect(try await shop.owner.failure(LeavePartner.self, .init()) == "forbidden")
      #expect(try await shop.owner.failure(GetOwnPartner.self, .init()) == "partner_not_found")
      #expect(try await shop.clerk.send(GetOwnPartner.self, .init()).role == .owner)
      _ = try await shop.clerk.send(LeavePartner.self, .init())
      #expect(try await shop.owner.failure(RedeemOffer.self, .init(offerID: offer.id)) == "offer_paused")
    }
  }

  @Test("An unapproved company can add no members, prepares few offers, and is deleted with its last member")
  func unapproved() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let (ana, eva) = (try await services.register(), try await services.register())
      _ = try await ana.send(RegisterPartner.self, Shop.registration())
      let evasName = try services.identity.username(of: eva.id)
      #expect(
        try await ana.failure(AddPartnerMember.self, .init(username: evasName, role: .owner)) == "partner_not_approved")
      let shop = Shop(id: try await ana.send(GetOwnPartner.self, .init()).partner.id, owner: ana, clerk: eva)
      for _ in 0..<20 { _ = try await shop.offer() }
      await #expect(throws: (any Error).self) { try await shop.offer() }
      _ = try await ana.send(LeavePartner.self, .init())
      let store = services.store(of: .rewards)
      for table in ["partners", "partner_members", "partner_places", "offers", "offer_places", "partner_alerts"] {
        #expect(try await store.rows(table) == 0, "\(table)")
      }
    }
  }

  @Test("Offers pause while the last owner is suspended, and return with the owner")
  func suspendedOwner() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let ana = try await services.register()
      let offer = try await shop.offer()
      try await services.change(shop.owner, receivedBy: .rewards) {
        $0.suspendedUntil = try Instant(text: "2026-11-24T12:00:00.000Z")
      }
      #expect(try await shop.owner.failure(PausePartnerOffer.self, .init(offerID: offer.id)) == "account_suspended")
      #expect(try await ana.send(ListOffers.self, .init()).items.isEmpty)
      #expect(try await ana.failure(RedeemOffer.self, .init(offerID: offer.id)) == "offer_paused")
      // The suspension ends by itself, without an event.
      try services.clock.set("2026-11-24T12:00:00.001Z")
      try await services.store(of: .rewards).until(within: .seconds(20)) {
        try await !ana.send(ListOffers.self, .init()).items.isEmpty
      }
      #expect(try await !shop.owner.send(GetOwnPartner.self, .init()).isWithoutOwner)
    }
  }

  @Test("The loss of a partner's last owner is reported to each administrator once, and not if another owner remains")
  func lostOwner() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }], at: nil) { services in
      let administrators = [
        try services.identity.administrator("adela").account, try services.identity.administrator("berta").account,
      ]
      let (first, second) = (try await services.shop(), try await services.shop("Another"))
      let store = services.store(of: .rewards)
      try await services.change(first.owner, receivedBy: .rewards) { $0.suspendedUntil = .endOfTime }
      try await store.until { try await notified(services).count == 2 }
      #expect(Set(try await notified(services)) == Set(administrators))
      _ = try await second.owner.send(
        AddPartnerMember.self, .init(username: try services.identity.username(of: second.clerk.id), role: .owner))
      try await services.delete(second.owner, receivedBy: .rewards)
      #expect(try await store.rows("partner_alerts") == 0)
      try await services.delete(second.clerk, receivedBy: .rewards)
      try await store.until { try await notified(services).count == 4 }
    }
  }

  @Test("Offers pause when the last owner is deleted, and the contact data go with the last member")
  func deletedOwner() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let offer = try await shop.offer()
      _ = try await shop.owner.send(
        AddPartnerMember.self, .init(username: try services.identity.username(of: shop.clerk.id), role: .owner))
      try await services.delete(shop.owner, receivedBy: .rewards)
      let ana = try await services.register()
      #expect(try await ana.send(ListOffers.self, .init()).items.map(\.id) == [offer.id])
      try await services.delete(shop.clerk, receivedBy: .rewards)
      #expect(try await ana.send(ListOffers.self, .init()).items.isEmpty)
      let store = services.store(of: .rewards)
      for person in [shop.owner, shop.clerk] { #expect(try await store.traces(of: person.id) == []) }
      let administrator = try services.administrator()
      let left = try await administrator.send(ListPartners.self, .init(state: .approved)).items
      #expect(left.map(\.contact) == [nil] && left.allSatisfy(\.isWithoutOwner))
    }
  }

  private func notified(_ services: ServicesInProcess) async throws -> [AccountID] {
    try await services.published(by: .rewards).filter { $0.name == PartnerOwnerLost.spec.name }
      .map { try PartnerOwnerLost.decode($0.body).accountID }
  }
}
