import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Coins on leaderboards (REW-6)")
struct LeaderboardCoinTests {
  @Test(
    "Coins of challenges count in the month of completion and are taken back from it; other coins do not count"
  )
  func challenges() async throws {
    try await ServicesInProcess.ranking(at: "2026-12-01T03:00:00.000Z") { services in
      // Where November lasts some hours yet.
      let ana = try await services.competitor(steps: 1000, on: "2026-11-30", timeZone: "America/Lima")
      let store = services.store(of: .rewards)
      let reward = try await store.write { transaction in
        try LedgerStore.reward(
          50, to: ana.id, for: .challenge("walker", english: "Walker", spanish: "Caminante"), reference: "challenge/1",
          expiry: CoinExpiry(), calendars: AccountCalendars(), transaction)
      }
      func coins(_ period: String) async throws -> Int? { try await ana.leaderboard(.coins, period).me?.score }
      #expect(try await coins("2026-11") == 60)
      let spent = try await store.write { transaction in
        _ = try LedgerStore.grant(
          7, to: ana.id, for: .reason("A gift"), reference: "adjustment/1", expiry: CoinExpiry(), transaction)
        return try LedgerStore.spend(
          30, of: ana.id, for: .redemption(RedemptionID(), title: "Tea"), reference: "redemption/1", transaction)
      }
      #expect(try await coins("2026-11") == 60)
      try services.clock.set("2026-12-02T12:00:00.000Z")
      try await store.write { transaction in
        _ = try LedgerStore.refund(spent.transferID, reference: "redemption/1/void", transaction)
        _ = try LedgerStore.takeBackReward(
          reward.transferID, reference: "challenge/1/back", calendars: AccountCalendars(), transaction)
      }
      #expect(try await coins("2026-11") == 10)
      #expect(try await coins("2026-12") == 0)
      #expect(try await coins("allTime") == 10)
      try await services.countsAreRight(in: [0, 202_611, 202_612])
    }
  }
}
