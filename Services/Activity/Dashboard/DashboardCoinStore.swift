import ActivityContract
import GRDB
import Operations
import RewardsContract
import Storage

/// The coins that each local day earned, from the events of rewards.
enum DashboardCoinStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "coins of the dashboard") { database in
      try database.execute(
        sql: """
          -- The counted transfers: rewards may publish them again.
          CREATE TABLE dashboard_transfers (
            transfer_id BLOB NOT NULL PRIMARY KEY CHECK (length(transfer_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX dashboard_transfers_by_account ON dashboard_transfers (account_id);
          -- Earned less taken back.
          CREATE TABLE dashboard_coins (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            -- the local day; the earliest that a number can hold stands for all days together
            day INTEGER NOT NULL,
            coins INTEGER NOT NULL,
            PRIMARY KEY (account_id, day)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// The key of the row with the sum of all days.
  private static let ever = LocalDay(daysSinceEpoch: .min)

  /// Counts a transfer once.
  static func count(
    _ coins: Int, _ transfer: TransferID, on day: LocalDay, of account: AccountID, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    guard try !database.isErased(account) else { return }
    try database.run(
      "INSERT INTO dashboard_transfers (transfer_id, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING", .id(transfer),
      .id(account))
    guard database.changesCount > 0 else { return }
    for day in [day, ever] {
      try database.run(
        """
        INSERT INTO dashboard_coins (account_id, day, coins) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET coins = coins + excluded.coins
        """, .id(account), .day(day), .number(coins))
    }
  }

  /// Returns what was earned on each of these days, and in all.
  static func read(
    of account: AccountID, from: LocalDay, to: LocalDay, in database: Database
  ) throws -> (days: [LocalDay: Int], ever: Int) {
    let statement = try database.cachedStatement(
      sql: "SELECT day, coins FROM dashboard_coins WHERE account_id = ? AND (day = ? OR day BETWEEN ? AND ?)")
    let rows = try Row.fetchAll(statement, arguments: [account, ever, from, to])
    var days = Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as LocalDay, $0[1] as Int) })
    let all = days.removeValue(forKey: ever)
    return (days, all ?? 0)
  }
}
