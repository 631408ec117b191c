import GRDB
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Accounts whose quiet hours changed, or their time zone, while these held more than is looked at in one transaction.
///
/// An account stays here until none of its deliveries waits for an end that is no longer that of its quiet hours: one with 100,000 of them
/// delays no one else. What is delivered meanwhile goes by the new hours.
struct QuietHoursChangeStore: Sendable {
  /// What is more is looked at by steps of a worker.
  static let rowsAtOnce = DeliveryStore.maxInGroup

  let hours: QuietHoursStore
  /// Wakes the worker that releases held deliveries.
  let held: WakeSignal
  /// Wakes the worker that goes on here.
  let signal = WakeSignal()

  static func migration(_ number: Int) -> Migration {
    Migration(number, "changes of quiet hours") { database in
      try database.execute(
        sql: """
          -- Accounts that have held deliveries which wait for a former end of their quiet hours.
          CREATE TABLE quiet_hours_changes (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// Begins to look at what an account's quiet hours hold: it goes, or waits for their new end.
  func begin(_ account: AccountID, _ transaction: Transaction) throws {
    // The worker's steps go by the present hours: further changes, of which a commit may hold many, need not look at anything themselves.
    let begun = "SELECT 1 FROM quiet_hours_changes WHERE account_id = ?"
    guard try transaction.database.first(begun, .id(account), read: { _ in true }) == nil else {
      return transaction.afterCommit { [signal] in signal.send() }
    }
    guard try reconsider(account, limit: Self.rowsAtOnce, transaction) == Self.rowsAtOnce else {
      return transaction.afterCommit { [held] in held.send() }
    }
    try transaction.database.run(
      "INSERT INTO quiet_hours_changes (account_id) VALUES (?) ON CONFLICT DO NOTHING", .id(account))
    transaction.afterCommit { [signal] in signal.send() }
  }

  /// Goes on with it; with the last delivery of an account, its row is deleted.
  ///
  /// - Parameter limit: the most at once.
  func settle(_ account: AccountID, limit: Int, _ transaction: Transaction) throws {
    guard try reconsider(account, limit: limit, transaction) < limit else { return }
    try transaction.database.run("DELETE FROM quiet_hours_changes WHERE account_id = ?", .id(account))
    // Not before, so that what is due then goes together, unless what is held for others wakes the worker meanwhile.
    transaction.afterCommit { [held] in held.send() }
  }

  private func reconsider(_ account: AccountID, limit: Int, _ transaction: Transaction) throws -> Int {
    let database = transaction.database
    let zone = try Accounts.find(account, in: database)?.timeZone.description
    let end = try hours.end(of: account, timeZone: zone, at: transaction.now, in: database)
    return try DeliveryStore.reconsider(account, quietUntil: end, limit: limit, transaction)
  }
}
