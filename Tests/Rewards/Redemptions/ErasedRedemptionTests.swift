import Foundation
import GRDB
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Redemptions of erased accounts (ID-12, REW-5)")
struct ErasedRedemptionTests {
  @Test(
    "An erased account's used code still counts as used, anonymously, and an unused one is removed, not voided"
  )
  func codes() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let ana = try await services.register()
      try await services.give(100, to: ana)
      let offer = try await shop.offer()
      var codes: [GivenCode] = []
      var ids: [RedemptionID] = []
      for _ in 0..<2 {
        let redemption = try await ana.send(RedeemOffer.self, .init(offerID: offer.id))
        codes.append(GivenCode(code: try #require(redemption.code).description))
        ids.append(redemption.id)
      }
      _ = try await shop.clerk.send(UseCode.self, codes[0])
      try await services.delete(ana, receivedBy: .rewards)
      let store = services.store(of: .rewards)
      #expect(try await store.traces(of: ana.id) == [])
      #expect(try await shop.clerk.send(CheckCode.self, codes[0]).state == .used)
      #expect(try await shop.clerk.failure(UseCode.self, codes[0]) == "code_used")
      #expect(try await shop.clerk.failure(CheckCode.self, codes[1]) == "redemption_not_found")
      let void = VoidedRedemption(redemptionID: ids[1], reason: "x")
      #expect(try await shop.owner.failure(VoidPartnerRedemption.self, void) == "redemption_not_found")
      #expect(try await store.rows("redemptions") == 2)
      let kept = try await store.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM redemptions WHERE sealed_code IS NOT NULL OR account_id IS NOT NULL")
      }
      #expect(kept == 0)
      try await services.ledgerIsSound()
    }
  }
}
