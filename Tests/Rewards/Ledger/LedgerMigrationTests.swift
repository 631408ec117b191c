import ActivityContract
import EarlierStores
import Foundation
import GRDB
import InMemoryBus
import InProcess
import Logging
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Ledgers of earlier versions")
struct LedgerMigrationTests {
  /// Where the keys are under which codes are sealed.
  private static let home = Home(path: FileManager.default.temporaryDirectory.appendingPathComponent("racha-\(UUID())").path)

  /// All migrations of rewards, in their order.
  private static var migrations: [Migration] {
    get throws {
      let environment = ServiceEnvironment(
        settings: Settings([:]), home: LedgerMigrationTests.home, bus: MemoryBus(.rewards, on: MemoryExchange()),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      return try Rewards.features(environment).flatMap(\.migrations).sorted { $0.number < $1.number }
    }
  }

  @Test("An upgraded ledger keeps ids, references, balances and counted days, is numbered in order, and continues")
  func upgrade() async throws {
    let (ana, ben, gone) = (AccountID(), AccountID(), AccountID())
    let ids = (0..<6).map { _ in TransferID() }
    let (offer, redemption) = (OfferID(), RedemptionID())
    try await UpgradedStore.upgrading(.rewards, try Self.migrations, before: 10) { transaction in
      let database = transaction.database
      for account in [ana, ben, gone] {
        try database.execute(sql: "INSERT INTO ledger_accounts (kind, account_id) VALUES ('person', ?)", arguments: [account])
      }
      func move(_ index: Int, _ kind: String, _ debit: Int, _ credit: Int, _ coins: Int, _ reference: String) throws {
        try database.execute(
          sql:
            "INSERT INTO transfers (transfer_id, kind, debit_id, credit_id, coins, reference, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
          arguments: [ids[index], kind, debit, credit, coins, reference, 1_000 + index])
      }
      try move(0, "earned", 1, 3, 20, "steps/3/1")
      try move(1, "earned", 1, 4, 7, "steps/4/1")
      try move(2, "earned", 1, 5, 9, "steps/5/1")
      try move(3, "redeemed", 3, 2, 12, "redemption/\(redemption)")
      try move(4, "corrected", 3, 1, 3, "steps/3/2")
      // Its redemption went with its account.
      try move(5, "redeemed", 5, 2, 4, "redemption/\(RedemptionID())")
      try database.execute(
        sql: "UPDATE ledger_accounts SET account_id = randomblob(16), erased_at = 5 WHERE account_id = ?", arguments: [gone])
      try database.execute(
        sql: """
          INSERT INTO offers VALUES (?, 'Coffee', 'One', 'Café', 12, 5, 4, 1, 2000000000000);
          """, arguments: [offer])
      try database.execute(
        sql: "INSERT INTO redemptions VALUES (?, ?, ?, ?, '7H2K-9QMX-0TZC-4BVR', 12, 1003)",
        arguments: [redemption, ana, offer, ids[3]])
      let cleo = AccountID()
      for (account, steps) in [(ana, 1799), (ben, 700), (cleo, 50)] {
        try database.execute(sql: "INSERT INTO earnings VALUES (?, ?, 1)", arguments: [account, steps % 100])
        try database.execute(sql: "INSERT INTO counted_days VALUES (?, 20000, ?, 1)", arguments: [account, steps])
      }
    } check: { store in
      let transfers = try await store.read { database in
        try Row.fetchAll(database, sql: "SELECT number, transfer_id, reference, cause, title FROM transfers ORDER BY number").map
        {
          "\($0["number"] as Int) \($0["transfer_id"] as TransferID) \($0["cause"] as String) \($0["title"] as String? ?? "-")"
        }
      }
      #expect(
        transfers == [
          "1 \(ids[0]) days -", "2 \(ids[1]) days -", "3 \(ids[2]) days -", "4 \(ids[3]) redemption Coffee", "5 \(ids[4]) days -",
          "6 \(ids[5]) redemption ",
        ])
      func balances() async throws -> [Int] {
        try await store.read { try Int.fetchAll($0, sql: "SELECT balance FROM ledger_accounts ORDER BY ledger_account_id") }
      }
      #expect(try await balances() == [-33, 16, 5, 7, 5, 0])
      #expect(try await store.read { try LedgerCheck.faults(in: $0) } == [])
      #expect(try await store.rows("counted_days") == 3)
      // It goes on: coins are spent of the lot from before and of new ones, and an old redemption is refunded.
      let today = LocalDay(daysSinceEpoch: 20_001)
      try await store.write { transaction in
        try CoinStore.count(
          .init(accountID: ana, recordedDay: today, days: [.init(day: today, steps: 301, earningSteps: 301, revision: 1)]),
          by: CoinFormula(), expiry: CoinExpiry(days: 9), transaction)
        _ = try LedgerStore.spend(
          8, of: ana, for: .redemption(RedemptionID(), title: "Tea"), reference: "redemption/new", transaction)
        _ = try LedgerStore.refund(ids[3], reference: "redemption/old/void", transaction)
        #expect(try LedgerStore.refund(ids[5], reference: "redemption/gone/void", transaction) == nil)
      }
      #expect(try await balances() == [-37, 12, 13, 7, 5, 0])
      // Neither has a redemption that says so.
      #expect(
        try await store.read { try LedgerCheck.faults(in: $0) } == ["transfer 8 has no cause", "transfer 9 has no cause"])
      await #expect(throws: DatabaseError.self) {
        try await store.write { try $0.database.execute(sql: "DELETE FROM transfers WHERE number = 8") }
      }
    }
    try FileManager.default.removeItem(atPath: Self.home.path)
  }
}
