import GRDB
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("The ledger")
struct LedgerTests {
  @Test(
    "The ledger refuses changes of its rows",
    arguments: [
      ("UPDATE transfers SET coins = 1", "a transfer is never changed"),
      ("UPDATE transfers SET at = at + 1", "a transfer is never changed"),
      ("DELETE FROM transfers", "a transfer is never deleted"),
      (
        """
        INSERT OR REPLACE INTO transfers SELECT number + 1, transfer_id, kind, debit_id, credit_id, coins, 'other', at, cause, day,
          subject, title, spanish_title FROM transfers
        """, "this transfer was made before"
      ),
      (
        """
        INSERT OR REPLACE INTO transfers SELECT number + 1, zeroblob(16), kind, debit_id, credit_id, coins, reference, at, cause, day,
          subject, title, spanish_title FROM transfers
        """, "this transfer was made before"
      ),
      (
        """
        INSERT OR REPLACE INTO transfers SELECT number, zeroblob(16), kind, debit_id, credit_id, coins, 'other', at, cause, day,
          subject, title, spanish_title FROM transfers
        """, "a transfer has the next number"
      ),
      (
        """
        INSERT INTO transfers SELECT number + 2, zeroblob(16), kind, debit_id, credit_id, coins, 'other', at, cause, day,
          subject, title, spanish_title FROM transfers
        """, "a transfer has the next number"
      ),
      ("UPDATE transfers SET number = 2", "a transfer is never changed"),
      ("UPDATE transfers SET day = day + 1", "a transfer is never changed"),
      ("UPDATE coin_lots SET rest = rest + 1", "a lot changes only by a transfer"),
      ("UPDATE coin_lots SET rest = rest + 7, last_number = 2", "a lot changes only by a transfer"),
      ("DELETE FROM coin_lots", "a lot is never deleted"),
      ("UPDATE lot_moves SET coins = coins + 1", "what a transfer moved is never changed"),
      ("DELETE FROM lot_moves", "what a transfer moved is never deleted"),
      ("INSERT OR REPLACE INTO lot_moves SELECT number, lot_id, coins + 1 FROM lot_moves", "a transfer moves a lot once"),
      ("UPDATE ledger_accounts SET balance = balance + 1 WHERE kind = 'person'", "a balance moves only by a transfer"),
      ("UPDATE ledger_accounts SET account_id = zeroblob(16) WHERE kind = 'person'", "a balance moves only by a transfer"),
      (
        "UPDATE ledger_accounts SET balance = balance + 7, last_transfer_id = (SELECT transfer_id FROM transfers) WHERE kind = 'person'",
        "a balance moves only by a transfer"
      ),
      ("DELETE FROM ledger_accounts", "a ledger account is never deleted"),
      ("INSERT INTO ledger_accounts (kind, account_id, balance) VALUES ('person', zeroblob(16), 5)", "begins empty"),
      (
        "INSERT OR REPLACE INTO ledger_accounts (ledger_account_id, kind, account_id) SELECT ledger_account_id, kind, account_id FROM ledger_accounts WHERE kind = 'person'",
        "begins empty"
      ),
      ("INSERT INTO ledger_accounts (kind) VALUES ('movement')", "UNIQUE"),
      (
        "INSERT INTO transfers SELECT 2, zeroblob(16), 'redeemed', credit_id, debit_id, 8, 'overdrawn', 0, cause, day, subject, title, spanish_title FROM transfers",
        "CHECK constraint failed"
      ),
      (
        "INSERT INTO transfers SELECT 2, zeroblob(16), kind, debit_id, credit_id, 0, 'none', 0, cause, day, subject, title, spanish_title FROM transfers",
        "CHECK"
      ),
      (
        "INSERT INTO transfers SELECT 2, zeroblob(16), kind, debit_id, debit_id, 1, 'self', 0, cause, day, subject, title, spanish_title FROM transfers",
        "CHECK"
      ),
    ])
  func immutable(sql: String, says: String) async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await services.give(7, to: ana)
      let error = await #expect(throws: DatabaseError.self) {
        try await services.store(of: .rewards).write { try $0.database.execute(sql: sql) }
      }
      #expect(error?.message?.contains(says) == true, "\(error?.message ?? "")")
      #expect(try await services.balance(of: ana.id).coins == 7)
      try await services.ledgerIsSound()
    }
  }

  @Test("The ledger refuses a second transfer with the same reference")
  func reference() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let account = AccountID()
      @Sendable func move(_ transaction: Transaction) throws {
        _ = try LedgerStore.grant(
          5, to: account, for: .reason("A test"), reference: "once", expiry: CoinExpiry(), transaction)
      }
      try await services.store(of: .rewards).write { try move($0) }
      await #expect(throws: DatabaseError.self) { try await services.store(of: .rewards).write { try move($0) } }
      #expect(try await services.balance(of: account).coins == 5)
      try await services.ledgerIsSound()
    }
  }

  @Test("The ledger's check finds a wrong balance")
  func faults() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await services.give(7, to: ana)
      let faults = try await services.store(of: .rewards).write { transaction in
        try transaction.database.execute(sql: "DROP TRIGGER ledger_accounts_move_by_transfer")
        try transaction.database.execute(sql: "UPDATE ledger_accounts SET balance = 9 WHERE kind = 'person'")
        return try LedgerCheck.faults(in: transaction.database)
      }
      #expect(
        faults == [
          "all balances add up to 2", "account 3 has 9 coins, its transfers add up to 7",
          "account 3 has 9 coins, its lots hold 7",
        ])
    }
  }

  @Test("The ledger is published whole to a subscriber without history, each transfer in its original form")
  func snapshot() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      let ben = try await services.register()
      let offer = try await services.publish(cost: 5)
      for (revision, steps) in [1000, 3000, 2500].enumerated() {
        try await services.count([(0, steps, revision)], of: ana.id)
        try await services.count([(1, steps * 2, revision)], of: ben.id)
        _ = try await ana.send(RedeemOffer.self, .init(offerID: offer.id))
      }
      // More than fits on a page.
      for revision in 1...SnapshotParts.pageSize + 100 {
        try await services.count([(2, 1000 + revision % 2 * 1000, revision)], of: ana.id)
      }
      let published = try await services.published(by: .rewards)
      #expect(Set(published.map(\.name)) == ["coins.earned", "coins.corrected", "offers.redeemed"])
      let snapshot = try await services.snapshot(of: .rewards)
      func bodies(_ events: [LoggedEvent], of account: AccountID) -> [String] {
        events.map { "\($0.name) \(String(decoding: $0.body, as: UTF8.self))" }.filter { $0.contains(account.description) }
      }
      for person in [ana, ben] { #expect(bodies(snapshot, of: person.id) == bodies(published, of: person.id)) }
      #expect(snapshot.count == published.count)
    }
  }

  @Test("The ledger shows its history page by page, newest first, to its owner only")
  func history() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      let ben = try await services.register()
      for revision in 1...5 { try await services.count([(0, revision * 1000, revision)], of: ana.id) }
      try await services.spend(20, of: ana.id)
      try await services.count([(0, 3000, 6)], of: ana.id)
      var coins: [Int] = []
      var cursor: PageCursor?
      repeat {
        let page = try await ana.send(ListTransfers.self, .init(limit: 2, cursor: cursor))
        coins += page.items.map(\.coins)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(coins == [-20, -20, 10, 10, 10, 10, 10])
      #expect(try await ben.send(ListTransfers.self, .init()).items.isEmpty)
      #expect(try await ben.send(GetBalance.self, .init()) == Balance(coins: 0, carriedSteps: 0, stepsPerCoin: 100))
      let nonsense = try PageCursor(text: "nonsense")
      #expect(try await ana.refusedFields(ListTransfers.self, .init(cursor: nonsense)) == ["cursor invalid_cursor"])
    }
  }
}
