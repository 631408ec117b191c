public import GRDB
import Operations
public import RewardsContract
import ServiceKit
import Storage

/// The double-entry ledger (REW-2): every coin comes from one account and goes to another, so that all balances add up to zero.
///
/// The house has two accounts: coins for steps come from ``movement``, whose balance is what all steps have earned, negated; coins
/// given for offers go to ``offers``. A person's balance is never negative. All this the schema itself sees to.
enum LedgerStore {
  /// One side of a transfer.
  struct AccountNumber: Hashable, Sendable, CustomStringConvertible {
    fileprivate let value: Int64

    var description: String { value.description }
  }

  /// Where coins for steps come from.
  static let movement = AccountNumber(value: 1)
  /// Where coins given for offers go.
  static let offers = AccountNumber(value: 2)

  /// A person's side of the ledger, opened if there is none yet.
  static func person(_ account: AccountID, in database: Database) throws -> (id: AccountNumber, balance: Int) {
    if let found = try find(account, in: database) { return found }
    try database.cachedStatement(sql: "INSERT INTO ledger_accounts (kind, account_id) VALUES ('person', ?)")
      .execute(arguments: [account])
    return (AccountNumber(value: database.lastInsertedRowID), 0)
  }

  /// How many coins a person has.
  static func balance(of account: AccountID, in database: Database) throws -> Int {
    try find(account, in: database)?.balance ?? 0
  }

  /// Moves coins. The reference says what for: a second transfer of the same reference is an error, and so is one that would leave a
  /// person with less than nothing.
  @discardableResult
  static func move(
    _ coins: Int, from debit: AccountNumber, to credit: AccountNumber, _ kind: Transfer.Kind, reference: String,
    _ transaction: Transaction
  ) throws -> TransferID {
    let id = TransferID()
    let statement = try transaction.database.cachedStatement(
      sql: "INSERT INTO transfers (transfer_id, kind, debit_id, credit_id, coins, reference, at) VALUES (?, ?, ?, ?, ?, ?, ?)")
    try statement.execute(arguments: [id, kind, debit.value, credit.value, coins, reference, transaction.now])
    return id
  }

  /// A person's transfers, newest first.
  static func history(of account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<Transfer> {
    guard let person = try find(account, in: database)?.id else { return Page(items: []) }
    // Each half is read from its own index, newest first, and no further than the page.
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM (
          SELECT transfer_id, kind, -coins AS coins, at FROM transfers
          WHERE debit_id = :person AND transfer_id < :before ORDER BY transfer_id DESC LIMIT :limit)
        UNION ALL
        SELECT * FROM (
          SELECT transfer_id, kind, coins, at FROM transfers
          WHERE credit_id = :person AND transfer_id < :before ORDER BY transfer_id DESC LIMIT :limit)
        ORDER BY transfer_id DESC LIMIT :limit
        """)
    let found = try Row.fetchAll(
      statement,
      arguments: [
        "person": person.value, "before": page.cursor(TransferID.init(text:)) ?? .last, "limit": page.fetchLimit,
      ])
    return page.page(of: found, key: { $0["transfer_id"] as TransferID }) { row in
      Transfer(id: row["transfer_id"], kind: row["kind"], coins: row["coins"], at: row["at"])
    }
  }

  /// Everything that is wrong with the ledger, added up anew from its transfers; nothing in a sound one.
  static func faults(in database: Database) throws -> [String] {
    var faults: [String] = []
    let sum = try Int.fetchOne(database, sql: "SELECT coalesce(sum(balance), 0) FROM ledger_accounts") ?? 0
    if sum != 0 { faults.append("all balances add up to \(sum)") }
    let wrong = try Row.fetchAll(
      database,
      sql: """
        SELECT ledger_account_id, kind, balance,
          (SELECT coalesce(sum(coins), 0) FROM transfers WHERE credit_id = ledger_account_id)
          - (SELECT coalesce(sum(coins), 0) FROM transfers WHERE debit_id = ledger_account_id) AS moved
        FROM ledger_accounts WHERE balance <> moved OR kind = 'person' AND balance < 0
        """)
    for row in wrong {
      faults.append("account \(row["ledger_account_id"] as Int) has \(row["balance"] as Int), moved \(row["moved"] as Int)")
    }
    return faults
  }

  private static func find(_ account: AccountID, in database: Database) throws -> (id: AccountNumber, balance: Int)? {
    try database.first("SELECT ledger_account_id, balance FROM ledger_accounts WHERE account_id = ?", .id(account)) {
      (AccountNumber(value: Int64($0.number(0))), $0.number(1))
    }
  }
}

extension Transfer.Kind: DatabaseValueConvertible {}

extension ID {
  /// Not before any id: where a list that goes backwards begins.
  static var last: ID { ID(bytes: Array(repeating: 0xFF, count: 16)) ?? .placeholder }
}
