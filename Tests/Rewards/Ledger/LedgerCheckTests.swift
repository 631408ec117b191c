import Foundation
import GRDB
import InProcess
import Logging
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("The proof of the ledger")
struct LedgerCheckTests {
  /// What makes a sound ledger of five transfers wrong, though its triggers are gone, and what the proof says.
  static let damages: [(sql: String, says: String)] = [
    ("DELETE FROM transfers WHERE number = 2", "transfer 2 is missing"),
    ("UPDATE transfers SET coins = coins + 1 WHERE number = 1", "account 3 has 21 coins, its transfers add up to 22"),
    ("UPDATE ledger_accounts SET balance = balance + 1 WHERE ledger_account_id = 1", "all balances add up to 1"),
    (
      "UPDATE ledger_accounts SET balance = balance + iif(kind = 'movement', 1, -1) WHERE kind IN ('movement', 'offers')",
      "account 1 of the system has 1 coins more than its transfers add up to"
    ),
    ("UPDATE coin_lots SET rest = rest + 1 WHERE lot_id = 1", "account 3 has 21 coins, its lots hold 22"),
    ("UPDATE coin_lots SET rest = rest + iif(lot_id = 1, 1, -1) WHERE lot_id < 3 AND rest > 0", "its moves add up to"),
    ("DELETE FROM lot_moves WHERE number = 3", "transfer 3 moves"),
    ("DELETE FROM counted_days WHERE day = 20777", "has no cause"),
    ("DELETE FROM redemptions", "has no cause"),
    ("UPDATE transfers SET kind = 'found' WHERE number = 1", "transfer 1 is of a kind that is not known"),
    ("UPDATE transfers SET cause = 'found', day = NULL WHERE number = 1", "transfer 1 has no cause"),
    ("UPDATE transfers SET credit_id = 2 WHERE number = 1", "transfer 1 is not between a person and the system"),
    (
      "DROP TRIGGER ledger_accounts_are_not_deleted; DELETE FROM ledger_accounts WHERE kind = 'movement'",
      "transfer 1 is not between a person and the system"
    ),
  ]

  /// A ledger of five transfers.
  private func withLedger(_ body: (ServicesInProcess) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      for day in 1...3 { try await services.count([(day, 1000, 1)], of: ana.id) }
      let offer = try await services.publish(cost: 4)
      _ = try await ana.send(RedeemOffer.self, .init(offerID: offer.id))
      try await services.count([(2, 500, 2)], of: ana.id)
      try await services.ledgerIsSound()
      try await body(services)
    }
  }

  private static let undo = """
    DROP TRIGGER transfers_are_not_changed; DROP TRIGGER transfers_are_not_deleted; DROP TRIGGER ledger_accounts_move_by_transfer;
    DROP TRIGGER coin_lots_move_by_transfer; DROP TRIGGER lot_moves_are_not_deleted; PRAGMA defer_foreign_keys = ON;
    """

  @Test("The proof of the ledger finds every kind of fault", arguments: damages)
  func faults(sql: String, says: String) async throws {
    try await withLedger { services in
      struct Undone: Error { let faults: [String] }
      let error = await #expect(throws: Undone.self) {
        try await services.store(of: .rewards).write { transaction in
          try transaction.database.execute(sql: Self.undo)
          try transaction.database.execute(sql: sql)
          throw Undone(faults: try LedgerCheck.faults(in: transaction.database))
        }
      }
      #expect(error?.faults.contains { $0.contains(says) } == true, "\(error?.faults ?? [])")
    }
  }

  @Test(
    "A challenge's coins, and their return, are checked against the payment for its completion",
    arguments: [
      ("DELETE FROM challenge_rewards", ["transfer 1 has no cause", "transfer 2 has no cause"]),
      ("UPDATE challenge_rewards SET challenge_id = randomblob(16)", ["transfer 1 has no cause"]),
      ("UPDATE transfers SET subject = 'another' WHERE number = 2", ["transfer 2 has no cause"]), ("SELECT 1", []),
    ])
  func challenges(sql: String, says: [String]) async throws {
    try await ChallengeScene.running([ChallengeScene.challenge("Walk", 80, coins: 5)]) { services in
      let ana = try await services.register()
      for steps in [90, 70] { try await services.move(ana.id, steps: steps) }
      struct Undone: Error { let faults: [String] }
      let error = await #expect(throws: Undone.self) {
        try await services.store(of: .rewards).write { transaction in
          try transaction.database.execute(sql: Self.undo)
          try transaction.database.execute(sql: sql)
          throw Undone(faults: try LedgerCheck.faults(in: transaction.database))
        }
      }
      #expect(error?.faults == says)
    }
  }

  @Test("The nightly proof runs once a night, and publishes only a faulty ledger")
  func nightly() async throws {
    try await withLedger { services in
      let store = services.store(of: .rewards)
      let worker = LedgerCheckWorker(
        store: store, clock: services.clock.clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      func failures() async throws -> [Int] {
        try await services.published(by: .rewards).filter { $0.name == "ledger.failed" }
          .map { try LedgerFailed.decode($0.body).faults }
      }
      try await worker.checkDaily()
      #expect(try await failures() == [])
      try await store.write { transaction in
        try transaction.database.execute(sql: Self.undo)
        try transaction.database.execute(sql: "UPDATE coin_lots SET rest = rest + 1 WHERE lot_id = 1")
      }
      // Tonight it was proved already.
      try await worker.checkDaily()
      #expect(try await failures() == [])
      services.clock.advance(days: 1)
      for _ in 0..<2 { try await worker.checkDaily() }
      #expect(try await failures() == [2])
    }
  }

  @Test("No read of the nightly proof takes longer where there are many accounts, and together they find each fault")
  func pieces() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let store = services.store(of: .rewards)
      var steps: [[Int]] = []
      for count in [500, 20_000] {
        try await store.write { transaction in
          try transaction.database.execute(
            sql: """
              WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
              INSERT INTO ledger_accounts (kind, account_id) SELECT 'person', randomblob(16) FROM numbers
              """, arguments: [count])
        }
        let beginning = try await store.effort { _ = try LedgerCheck(in: $0) }
        let piece = try await store.effort { database in
          var check = try LedgerCheck(in: database)
          let next = try check.checkPersons(after: 0, atMost: 100, in: database)
          #expect(next != nil)
        }
        steps.append([beginning.steps, piece.steps])
      }
      #expect(steps[1][0] <= steps[0][0] + 2 && steps[1][1] <= steps[0][1] + 2, "\(steps)")

      let worker = LedgerCheckWorker(
        store: store, clock: services.clock.clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      #expect(try await worker.prove().faults == [])
      let last = try await store.write { transaction in
        let database = transaction.database
        try database.execute(sql: Self.undo)
        let last = try #require(try Int.fetchOne(database, sql: "SELECT max(ledger_account_id) FROM ledger_accounts"))
        try database.execute(sql: "UPDATE ledger_accounts SET balance = 1 WHERE ledger_account_id = ?", arguments: [last])
        return last
      }
      #expect(
        try await worker.prove().faults == [
          "all balances add up to 1", "account \(last) has 1 coins, its transfers add up to 0",
          "account \(last) has 1 coins, its lots hold 0",
        ])
    }
  }

  @Test("A store's file is proved in use or not, without creating files beside it")
  func file() async throws {
    try await withLedger { services in
      let path = "\(services.home.stores)/rewards.sqlite"
      #expect(try LedgerCheck.prove(path: path).count == 0)
      let store = services.store(of: .rewards)
      let copy = "\(services.home.path)/copy.sqlite"
      try await store.copy(try await store.hold(), to: copy)
      let check = try LedgerCheck.prove(path: copy)
      #expect(check.count == 0 && check.transfers == 5)
      let beside = try FileManager.default.contentsOfDirectory(atPath: services.home.path).filter { $0.hasPrefix("copy.sqlite") }
      #expect(beside == ["copy.sqlite"])
      #expect(throws: LedgerCheck.Unreadable.self) { try LedgerCheck.prove(path: "\(services.home.stores)/identity.sqlite") }
    }
  }
}
