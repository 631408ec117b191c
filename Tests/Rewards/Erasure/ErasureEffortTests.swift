import GRDB
import InProcess
import Logging
import Operations
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("The effort of erasing an account's coins (ID-12)")
struct ErasureEffortTests {
  @Test("To find an account's days and what administrators wrote takes no longer where it has many transfers")
  func transfers() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let store = services.store(of: .rewards)
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let tables =
        CoinFeature(formula: CoinFormula(), expiry: CoinExpiry()).tables
        + LedgerFeature(expiry: CoinExpiry(), clock: .system, logger: logger).tables
      let statements = try await store.read { database in
        try tables.filter { ["counted_days", "transfers"].contains($0.name) }.flatMap { try $0.sql(in: database) }
      }
      var steps: [[Int]] = []
      for count in [10, 400] {
        let account = AccountID()
        for revision in 1...count {
          try await services.count([(0, revision % 2 == 1 ? 2000 : 1000, revision)], of: account)
        }
        var found: [Int] = []
        for statement in statements {
          // What is erased is only looked for.
          let sql = statement.replacing("DELETE FROM", with: "SELECT count(*) FROM")
            .replacing("UPDATE transfers SET title = NULL", with: "SELECT count(*) FROM transfers")
            .replacing(":limit", with: "1000")
          let effort = try await store.effort { _ = try Int.fetchOne($0, sql: sql, arguments: ["account": account]) }
          found.append(effort.steps)
        }
        steps.append(found)
      }
      #expect(steps[0].count == 7 && zip(steps[0], steps[1]).allSatisfy { $1 <= $0 + 20 }, "\(steps)")
    }
  }
}
