import GRDB
import Operations
import RewardsContract
import ServiceKit
import ServiceLifecycle
import Storage

/// Takes coins away that have ended, and tells their owners ahead of time, once for each lot. What it does is one transaction for each few
/// accounts: a kill leaves all or nothing of it.
struct CoinExpiryWorker: Service {
  /// How many accounts or lots one transaction looks at: other writers wait for no more than that.
  static let batch = 20

  let store: Store
  let expiry: CoinExpiry
  var interval = Duration.seconds(60)

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Does all that is due.
  func sweep() async throws {
    let expiry = expiry
    while try await store.write({ try CoinLotStore.expireDue(limit: Self.batch, $0) }) == Self.batch {}
    while try await store.write({ try CoinLotStore.announceDue(limit: Self.batch, expiry, $0) }) == Self.batch {}
  }
}

extension CoinLotStore {
  /// Takes coins away that have ended.
  ///
  /// - Returns: of how many accounts.
  static func expireDue(limit: Int, _ transaction: Transaction) throws -> Int {
    let due = try AccountID.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          SELECT DISTINCT a.account_id FROM coin_lots l JOIN ledger_accounts a USING (ledger_account_id)
          WHERE l.rest > 0 AND l.ends_at < \(Instant.endOfTime.milliseconds) AND l.ends_at <= ? LIMIT ?
          """), arguments: [transaction.now, limit])
    for account in due { try LedgerStore.expire(LedgerStore.person(account, in: transaction.database), transaction) }
    return due.count
  }

  /// Tells owners of coins that expire soon.
  ///
  /// - Returns: of how many lots.
  static func announceDue(limit: Int, _ expiry: CoinExpiry, _ transaction: Transaction) throws -> Int {
    guard expiry.noticeDays > 0 else { return 0 }
    let due = try Row.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          SELECT l.lot_id, l.rest, l.ends_at, a.account_id FROM coin_lots l JOIN ledger_accounts a USING (ledger_account_id)
          WHERE l.rest > 0 AND l.ends_at < \(Instant.endOfTime.milliseconds) AND l.ends_at <= ? AND l.is_announced = 0
          ORDER BY l.ends_at LIMIT ?
          """), arguments: [transaction.now.adding(seconds: expiry.noticeDays * 86_400), limit])
    for row in due {
      try transaction.database.run("UPDATE coin_lots SET is_announced = 1 WHERE lot_id = ?", .integer(row["lot_id"]))
      try transaction.publish(
        CoinsEnding(
          noticeID: CoinsEndingID(), accountID: row["account_id"], coins: row["rest"], endsAt: row["ends_at"],
          at: transaction.now))
    }
    return due.count
  }
}
