import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Codes used at a partner (REW-5)")
struct CodeTests {
  /// A shop, somebody who has redeemed there, and the redemption.
  private struct Scene {
    let shop: Shop
    let ana: Person
    let offer: Offer
    let redemption: Redemption

    init(_ services: ServicesInProcess, codeValidDays: Int? = nil) async throws {
      shop = try await services.shop()
      ana = try await services.register()
      try await services.give(100, to: ana)
      offer = try await shop.offer(codeValidDays: codeValidDays)
      redemption = try await ana.send(RedeemOffer.self, .init(offerID: offer.id))
    }

    var code: GivenCode { get throws { GivenCode(code: try #require(redemption.code).description) } }
    var reference: RedemptionReference { RedemptionReference(redemptionID: redemption.id) }
  }

  private func running(_ body: (ServicesInProcess) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }], body)
  }

  @Test("A code is checked and used once at the partner, and appears as used in the history (E UC-04, main flow)")
  func use() async throws {
    try await running { services in
      let scene = try await Scene(services)
      let (shop, redemption) = (scene.shop, scene.redemption)
      let typed = GivenCode(code: try scene.code.code.lowercased().replacing("-", with: " "))
      let checked = try await shop.clerk.send(CheckCode.self, typed)
      #expect(checked.id == redemption.id && checked.state == .open && checked.isUsable && checked.reward == "Two coffees")
      #expect(checked.usableUntil == scene.offer.validUntil && checked.usedAt == nil)
      services.clock.advance(seconds: 5)
      let used = try await shop.clerk.send(UseCode.self, typed, key: "till")
      #expect(used.state == .used && used.usedAt == services.clock.now && !used.isUsable)
      #expect(try await shop.owner.failure(UseCode.self, scene.code) == "code_used")
      // A till that did not get its answer repeats.
      #expect(try await shop.clerk.send(UseCode.self, typed, key: "till") == used)
      let own = try await scene.ana.send(GetRedemption.self, scene.reference)
      #expect(own.state == .used && own.usedAt == used.usedAt && own.code == redemption.code)
      let event = try RedemptionUsed.decode(try #require(try await services.published(by: .rewards).last).body)
      #expect(event.accountID == scene.ana.id && event.redemptionID == redemption.id && event.partnerName == "Café Central")
      #expect(try await shop.clerk.send(ListPartnerRedemptions.self, .init()).items == [used])
    }
  }

  @Test("A code is used once, however many tills try concurrently")
  func tills() async throws {
    try await running { services in
      let scene = try await Scene(services)
      let (shop, code) = (scene.shop, try scene.code)
      let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<40 {
          group.addTask { try await (number % 2 == 0 ? shop.owner : shop.clerk).failure(UseCode.self, code) ?? "used" }
        }
        return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(outcomes == ["used": 1, "code_used": 39])
      let published = try await services.published(by: .rewards).filter { $0.name == RedemptionUsed.spec.name }
      #expect(published.count == 1)
    }
  }

  @Test("A QR code is signed, valid for a minute and renewed, contains no code, and is invalid if changed")
  func presentation() async throws {
    try await running { services in
      let scene = try await Scene(services)
      let shown = try await scene.ana.send(PresentRedemption.self, scene.reference)
      #expect(shown.expiresAt == services.clock.now.adding(seconds: 60))
      let code = try scene.code.code
      #expect(!shown.payload.contains(code) && shown.payload.hasPrefix("RACHA1:"))
      #expect(try await scene.shop.clerk.send(CheckCode.self, .init(code: shown.payload)).id == scene.redemption.id)
      services.clock.advance(seconds: 59)
      #expect(try await scene.shop.clerk.failure(CheckCode.self, .init(code: shown.payload)) == nil)
      services.clock.advance(seconds: 1)
      #expect(try await scene.shop.clerk.failure(UseCode.self, .init(code: shown.payload)) == "presentation_expired")
      let renewed = try await scene.ana.send(PresentRedemption.self, scene.reference).payload
      var bytes = try #require(Base64URL.decode(renewed.dropFirst(7)))
      for index in bytes.indices {
        bytes[index] ^= 1
        if index % 13 == 0 {
          let forged = GivenCode(code: "RACHA1:" + Base64URL.encode(bytes))
          #expect(try await scene.shop.clerk.failure(UseCode.self, forged) == "redemption_not_found", "byte \(index)")
        }
        bytes[index] ^= 1
      }
      #expect(try await scene.shop.clerk.send(UseCode.self, .init(code: renewed)).state == .used)
      #expect(try await scene.ana.failure(PresentRedemption.self, scene.reference) == "code_used")
      // A stranger shows nobody else's.
      let ben = try await services.register()
      #expect(try await ben.failure(PresentRedemption.self, scene.reference) == "redemption_not_found")
      #expect(try await ben.failure(GetRedemption.self, scene.reference) == "redemption_not_found")
    }
  }

  @Test("A code is unknown to another partner's members, and refused to accounts of no partner or former members")
  func strangers() async throws {
    try await running { services in
      let scene = try await Scene(services)
      let code = try scene.code
      let other = try await services.shop("Another")
      let ben = try await services.register()
      let shown = GivenCode(code: try await scene.ana.send(PresentRedemption.self, scene.reference).payload)
      for given in [code, shown] {
        #expect(try await other.clerk.failure(CheckCode.self, given) == "redemption_not_found")
        #expect(try await other.owner.failure(UseCode.self, given) == "redemption_not_found")
        #expect(try await ben.failure(UseCode.self, given) == "forbidden")
      }
      let void = VoidedRedemption(redemptionID: scene.redemption.id, reason: "x")
      #expect(try await other.owner.failure(VoidPartnerRedemption.self, void) == "redemption_not_found")
      #expect(try await scene.shop.clerk.failure(VoidPartnerRedemption.self, void) == "forbidden")
      #expect(try await ben.failure(VoidRedemption.self, void) == "forbidden")
      #expect(try await scene.shop.clerk.refusedFields(UseCode.self, .init(code: "hello")) == ["code not_a_redemption_code"])
      try await services.change(scene.shop.clerk, receivedBy: .rewards) {
        $0.suspendedUntil = try Instant(text: "2026-11-24T12:00:00.000Z")
      }
      #expect(try await scene.shop.clerk.failure(UseCode.self, code) == "account_suspended")
      _ = try await scene.shop.owner.send(RemovePartnerMember.self, .init(accountID: scene.shop.clerk.id))
      #expect(try await scene.shop.clerk.failure(UseCode.self, code) == "forbidden")
      #expect(try await scene.shop.owner.send(UseCode.self, code).state == .used)
    }
  }

  @Test("Wrong codes make all of a partner's members wait, and nobody else")
  func wrongCodes() async throws {
    try await running { services in
      let scene = try await Scene(services)
      let other = try await services.shop("Another")
      let wrong = GivenCode(code: "0000-0000-0000-0000")
      for number in 0..<WrongCodeRules.burst {
        let person = number % 2 == 0 ? scene.shop.clerk : scene.shop.owner
        #expect(try await person.failure(CheckCode.self, wrong) == "redemption_not_found")
      }
      // The right one waits too: whoever guesses learns nothing.
      let failure = await #expect(throws: Failure.self) { try await scene.shop.owner.send(UseCode.self, scene.code) }
      #expect(failure?.code == "too_many_wrong_codes" && failure?.retryAfterSeconds == 60)
      #expect(try await other.clerk.failure(CheckCode.self, wrong) == "redemption_not_found")
      services.clock.advance(seconds: 60)
      #expect(try await scene.shop.owner.send(UseCode.self, scene.code).state == .used)
    }
  }

  @Test("A code expires with its offer or after the configured days, and can then be neither used nor voided")
  func ended() async throws {
    try await running { services in
      let scene = try await Scene(services, codeValidDays: 2)
      #expect(scene.redemption.usableUntil == services.clock.now.adding(seconds: 2 * 86_400))
      services.clock.advance(days: 2)
      #expect(try await scene.shop.clerk.failure(UseCode.self, scene.code) == "code_expired")
      #expect(try await scene.shop.clerk.send(CheckCode.self, scene.code).isUsable == false)
      let void = VoidedRedemption(redemptionID: scene.redemption.id, reason: "x")
      #expect(try await scene.shop.owner.failure(VoidPartnerRedemption.self, void) == "code_expired")
      #expect(try await services.administrator().failure(VoidRedemption.self, void) == "code_expired")
    }
  }

  @Test("A redemption voided by the partner or an administrator returns coins and stock once; a used one cannot be voided")
  func void() async throws {
    try await running { services in
      let scene = try await Scene(services)
      let void = VoidedRedemption(redemptionID: scene.redemption.id, reason: "The cakes are sold out")
      #expect(try await scene.ana.send(GetBalance.self, .init()).coins == 90)
      #expect(try await scene.shop.owner.send(VoidPartnerRedemption.self, void).state == .voided)
      #expect(try await scene.ana.send(GetBalance.self, .init()).coins == 100)
      #expect(try await scene.ana.send(GetOffer.self, .init(offerID: scene.offer.id)).remaining == 5)
      let own = try await scene.ana.send(GetRedemption.self, scene.reference)
      #expect(own.state == .voided && own.voidReason == void.reason && own.voidedAt == services.clock.now)
      let administrator = try services.administrator()
      for failure in [
        try await scene.shop.owner.failure(VoidPartnerRedemption.self, void),
        try await administrator.failure(VoidRedemption.self, void), try await scene.shop.clerk.failure(UseCode.self, scene.code),
        try await scene.ana.failure(PresentRedemption.self, scene.reference),
      ] { #expect(failure == "code_voided") }
      let published = try #require(
        try await services.published(by: .rewards).last { $0.name == RedemptionVoided.spec.name })
      let event = try RedemptionVoided.decode(published.body)
      #expect(event.coins == 10 && event.balance == 100 && event.accountID == scene.ana.id && event.reason == void.reason)
      let second = try await scene.ana.send(RedeemOffer.self, .init(offerID: scene.offer.id))
      _ = try await administrator.send(VoidRedemption.self, .init(redemptionID: second.id, reason: "Asked for"))
      #expect(try await scene.ana.send(GetBalance.self, .init()).coins == 100)
      let third = try await scene.ana.send(RedeemOffer.self, .init(offerID: scene.offer.id))
      _ = try await scene.shop.clerk.send(UseCode.self, .init(code: try #require(third.code).description))
      #expect(
        try await administrator.failure(VoidRedemption.self, .init(redemptionID: third.id, reason: "x")) == "code_used")
      #expect(
        try await administrator.failure(VoidRedemption.self, .init(redemptionID: RedemptionID(), reason: "x"))
          == "redemption_not_found")
      try await services.ledgerIsSound()
    }
  }

  @Test("A code tried to be used and voided at once is used or voided, never both")
  func useOrVoid() async throws {
    try await running { services in
      let scene = try await Scene(services)
      let offer = try await scene.shop.offer(title: "Sweet", cost: 1, stock: 20)
      for round in 0..<20 {
        let redemption = try await scene.ana.send(RedeemOffer.self, .init(offerID: offer.id))
        let code = GivenCode(code: try #require(redemption.code).description)
        let void = VoidedRedemption(redemptionID: redemption.id, reason: "x")
        async let used = scene.shop.clerk.failure(UseCode.self, code)
        async let voided = scene.shop.owner.failure(VoidPartnerRedemption.self, void)
        let outcomes = try await [used, voided]
        #expect(outcomes == [nil, "code_used"] || outcomes == ["code_voided", nil], "round \(round)")
      }
      try await services.ledgerIsSound()
    }
  }

  @Test("Codes are stored sealed, in neither store nor events, and a damaged one is no longer shown")
  func sealed() async throws {
    try await running { services in
      let scene = try await Scene(services)
      let code = try scene.code.code
      #expect(!String(decoding: try services.storedBytes(), as: UTF8.self).contains(code))
      let store = services.store(of: .rewards)
      var sealed = try #require(try await store.read { try Data.fetchOne($0, sql: "SELECT sealed_code FROM redemptions") })
      #expect(sealed.count > 40)
      sealed[30] ^= 1
      let damage = sealed
      try await store.write { try $0.database.execute(sql: "UPDATE redemptions SET sealed_code = ?", arguments: [damage]) }
      let damaged = try await scene.ana.send(GetRedemption.self, scene.reference)
      #expect(damaged.code == nil && damaged.state == .open)
      // Whoever wrote it down can use it all the same.
      #expect(try await scene.shop.clerk.send(UseCode.self, scene.code).state == .used)
    }
  }

  @Test("Codes are sealed under the newest key after a start")
  func rotation() async throws {
    try await running { services in
      let scene = try await Scene(services)
      let store = services.store(of: .rewards)
      try Data((0..<32).map { _ in UInt8.random(in: 0...255) }).write(
        to: URL(fileURLWithPath: "\(services.home.keys)/secrets-2"))
      let environment = ServiceEnvironment(
        settings: Settings([:]), home: services.home, bus: services.gateway, logger: Logger(label: "test"))
      try await RedemptionCodeWorker(store: store, codes: SealedCodes(environment)).renewAll()
      let heads = try await store.read {
        try Data.fetchAll($0, sql: "SELECT substr(sealed_code, 1, 6) FROM redemptions").map { Array($0) }
      }
      #expect(heads == [[1, 1, 0, 0, 0, 2]])
      #expect(try await scene.ana.send(GetRedemption.self, scene.reference).code == scene.redemption.code)
    }
  }
}
