import ActivityContract
import EarlierStores
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

@Suite("Leaderboards in stores of earlier versions (REW-6)")
struct LeaderboardMigrationTests {
  @Test("Earlier counted steps initialize the scores of accounts that were not erased, and counting continues")
  func upgrade() async throws {
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: Home(path: "/nonexistent"), bus: MemoryBus(.rewards, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let features = try Rewards.features(environment)
    let migrations = features.flatMap(\.migrations).sorted { $0.number < $1.number }
    let first = try #require(features.compactMap { $0 as? LeaderboardFeature }.first?.migrations.first)
    let (ana, gone) = (AccountID(), AccountID())
    let (october, november) = (try LocalDay(text: "2026-10-31"), try LocalDay(text: "2026-11-02"))
    try await UpgradedStore.upgrading(.rewards, migrations, before: first.number) { transaction in
      let database = transaction.database
      for account in [ana, gone] {
        try database.execute(sql: "INSERT INTO ledger_accounts (kind, account_id) VALUES ('person', ?)", arguments: [account])
        for (day, steps) in [(october, 1250), (november, 600)] {
          try database.execute(sql: "INSERT INTO counted_days VALUES (?, ?, ?, 5)", arguments: [account, day, steps])
        }
      }
      // Of before days were named, of a day, and a correction.
      let transfers: [(kind: String, debit: Int, credit: Int, coins: Int, cause: String, day: LocalDay?)] = [
        ("earned", 1, 3, 12, "days", nil), ("earned", 1, 3, 6, "day", november), ("corrected", 3, 1, 1, "day", november),
        ("redeemed", 3, 2, 4, "days", nil), ("earned", 1, 4, 18, "days", nil),
      ]
      for (index, transfer) in transfers.enumerated() {
        try database.execute(
          sql: """
            INSERT INTO transfers (number, transfer_id, kind, debit_id, credit_id, coins, reference, at, cause, day)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            index + 1, TransferID(), transfer.kind, transfer.debit, transfer.credit, transfer.coins, "test/\(index)",
            try Instant(text: "2026-10-31T12:00:00.000Z"), transfer.cause, transfer.day,
          ])
      }
      try database.execute(
        sql: "UPDATE ledger_accounts SET account_id = randomblob(16), erased_at = 5 WHERE account_id = ?", arguments: [gone])
    } check: { store in
      func scores() async throws -> [String] {
        try await store.read { database in
          try Row.fetchAll(database, sql: "SELECT * FROM leaderboard_scores ORDER BY account_id, period").map { row in
            "\(row["account_id"] as AccountID == ana) \(row["period"] as Int) \(row["steps"] as Int) \(row["coins"] as Int)"
          }
        }
      }
      #expect(try await scores() == ["true 0 1850 17", "true 202610 1250 12", "true 202611 600 5"])
      #expect(try await store.rows("leaderboard_counts") == 0)
      // A day that was counted is corrected.
      try await store.write { transaction in
        try CoinStore.count(
          .init(
            accountID: ana, recordedDay: november, days: [.init(day: november, steps: 700, earningSteps: 700, revision: 6)]),
          by: CoinFormula(), expiry: CoinExpiry(), transaction)
      }
      #expect(try await scores() == ["true 0 1950 18", "true 202610 1250 12", "true 202611 700 6"])
    }
  }
}
