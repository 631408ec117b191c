import GRDB
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Corrections of balances by administrators")
struct AdjustmentTests {
  @Test("An administrator can adjust a balance with a reason that its owner can read, once for each key (REW-2)")
  func adjust() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let (ana, administrator) = (try await services.register(), try services.administrator())
      for _ in 0..<2 {
        let transfer = try await administrator.send(
          AdjustCoins.self, .init(accountID: ana.id, coins: 30, reason: " Steps that were lost "), key: "once")
        #expect(transfer.kind == .adjusted && transfer.coins == 30 && transfer.reason == "Steps that were lost")
      }
      _ = try await administrator.send(AdjustCoins.self, .init(accountID: ana.id, coins: -12, reason: "A borrowed device"))
      #expect(try await ana.send(GetBalance.self, .init()).coins == 18)
      let history = try await ana.send(ListTransfers.self, .init()).items
      #expect(history.map(\.coins) == [-12, 30] && history.map(\.reason) == ["A borrowed device", "Steps that were lost"])
      let published = try await services.published(by: .rewards).filter { $0.name == "coins.adjusted" }
        .map { try CoinsAdjusted.decode($0.body) }
      #expect(published.map(\.coins) == [30, -12] && published.map(\.balance) == [30, 18])
      #expect(published.allSatisfy { $0.accountID == ana.id })
      try await services.ledgerIsSound()
    }
  }

  @Test("Adjustments without account, administrator, amount or reason, or below a balance of zero, are refused")
  func refused() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let (ana, administrator) = (try await services.register(), try services.administrator())
      func failure(_ person: Person, _ account: AccountID, _ coins: Int, _ reason: String = "A test") async throws -> String? {
        try await person.failure(AdjustCoins.self, .init(accountID: account, coins: coins, reason: reason))
      }
      #expect(try await failure(administrator, ana.id, -1) == "not_enough_coins")
      #expect(try await failure(administrator, ana.id, 5) == nil)
      #expect(try await failure(administrator, ana.id, -6) == "not_enough_coins")
      #expect(try await failure(administrator, AccountID(), 5) == "not_found")
      #expect(try await failure(ana, ana.id, 5) == "forbidden")
      #expect(try await failure(administrator, administrator.id, 5) == "forbidden", "nobody corrects their own")
      for (coins, reason, field) in [
        (0, "A test", "coins zero_coins"), (1, "  ", "reason empty"), (1, "", "reason empty"),
        (1_000_000_001, "A test", "coins out_of_range"),
      ] {
        let fields = try await administrator.refusedFields(
          AdjustCoins.self, .init(accountID: ana.id, coins: coins, reason: reason))
        #expect(fields.contains(field), "\(fields)")
      }
      #expect(try await ana.send(GetBalance.self, .init()).coins == 5)
      try await services.ledgerIsSound()
    }
  }

  @Test("Erasing an account removes adjustments' reasons about it, and its name as the administrator of others'")
  func erasure() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let (ana, administrator) = (try await services.register(), try services.administrator())
      for coins in [30, -10] {
        _ = try await administrator.send(
          AdjustCoins.self, .init(accountID: ana.id, coins: coins, reason: "Ana García wrote to us"))
      }
      try await services.delete(ana, receivedBy: .rewards)
      let store = services.store(of: .rewards)
      #expect(try await store.traces(of: ana.id) == [])
      let words = try await store.read { try String.fetchAll($0, sql: "SELECT title FROM transfers WHERE title IS NOT NULL") }
      #expect(words == [])
      try await services.ledgerIsSound()
      try await services.delete(administrator, receivedBy: .rewards)
      #expect(try await store.traces(of: administrator.id) == [])
      #expect(try await store.rows("coin_adjustments") == 2)
    }
  }
}
