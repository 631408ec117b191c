import ActivityContract
import GRDB
import Operations
import Storage

/// The stale days, which are to be counted again, and the accounts whose new order of sources makes days stale.
extension MovementDayStore {
  /// Returns the next account with stale days, by number and wrapping around.
  static func nextStale(after last: Int64, in database: Database) throws -> MovementAccount? {
    let next = "SELECT account_number FROM movement_stale_days WHERE account_number > ? ORDER BY account_number LIMIT 1"
    let find: (Int64) throws -> Int64? = { try database.first(next, .integer($0)) { Int64($0.number(0)) } }
    guard let number = try find(last) ?? find(0) else { return nil }
    return try database.first("SELECT account_id FROM movement_accounts WHERE account_number = ?", .integer(number)) {
      MovementAccount(id: try $0.id(0), number: number)
    }
  }

  /// Returns the account's newest stale days.
  static func stale(of account: Int64, limit: Int, in database: Database) throws -> [DaySettlement.DayKey] {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT kind, day FROM movement_stale_days WHERE account_number = ? ORDER BY day DESC LIMIT ?"),
      arguments: [account, limit])
    return rows.map { DaySettlement.DayKey(kind: MovementKind(number: $0["kind"]), day: $0["day"]) }
  }

  /// The table of the accounts whose days are still to be marked as stale, and the index of stale days by which the newest are found.
  static func reordersMigration(_ number: Int) -> Migration {
    Migration(number, "new orders of sources of movement") { database in
      try database.execute(
        sql: """
          -- Accounts with a new order of sources, of which the days before that one are still to be looked at.
          CREATE TABLE movement_reorders (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            before_day INTEGER NOT NULL DEFAULT \(Int32.max)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX movement_stale_days_by_day ON movement_stale_days (account_number, day);
          """)
    }
  }

  /// Notes that an account's sources have a new order; ``noteStale(of:days:in:)`` does the rest.
  static func noteReorder(of account: AccountID, in database: Database) throws {
    try database.run("INSERT OR REPLACE INTO movement_reorders (account_id) VALUES (?)", .id(account))
  }

  /// Goes through the next days of an account whose sources have a new order, the newest first, and marks those as stale on which several
  /// sources measured at the same time. Where the account travelled in between, that time may be in different days for them.
  static func noteStale(of account: AccountID, days: Int, in database: Database) throws {
    let reorder = try database.first(
      "SELECT account_number, before_day FROM movement_reorders JOIN movement_accounts USING (account_id) WHERE account_id = ?",
      .id(account)
    ) { (account: Int64($0.number(0)), before: $0.day(1)) }
    guard let reorder, try !database.isErased(account),
      let last = try lastMeasured(before: reorder.before, of: reorder.account, in: database)
    else {
      try database.run("DELETE FROM movement_reorders WHERE account_id = ?", .id(account))
      return
    }
    let first = last.advanced(by: 1 - days)
    for kind in MovementKind.allCases {
      try database.run(
        """
        INSERT OR IGNORE INTO movement_stale_days (account_number, kind, day)
        SELECT account_number, kind, day FROM movement_day_sources AS one
        WHERE account_number = ? AND kind = ? AND day BETWEEN ? AND ? AND EXISTS (
          SELECT 1 FROM movement_day_sources AS other
          WHERE other.account_number = one.account_number AND other.kind = one.kind
            AND other.day BETWEEN one.day - 2 AND one.day + 2 AND other.source_number <> one.source_number
            AND other.from_at < one.until_at AND other.until_at > one.from_at)
        """, .integer(reorder.account), .number(kind.number), .day(first), .day(last))
    }
    try database.run("UPDATE movement_reorders SET before_day = ? WHERE account_id = ?", .day(first), .id(account))
  }

  /// The last day before another on which anything was measured; nil where there is none.
  private static func lastMeasured(before day: LocalDay, of account: Int64, in database: Database) throws -> LocalDay? {
    try MovementKind.allCases.compactMap { kind in
      try database.first(
        "SELECT day FROM movement_day_sources WHERE account_number = ? AND kind = ? AND day < ? ORDER BY day DESC LIMIT 1",
        .integer(account), .number(kind.number), .day(day)
      ) { $0.day(0) }
    }.max()
  }

  /// Leaves some stale days of an account that is being erased as they are.
  static func forgetStale(of account: Int64, limit: Int, in database: Database) throws {
    try database.run(
      """
      DELETE FROM movement_stale_days WHERE (account_number, kind, day) IN (
        SELECT account_number, kind, day FROM movement_stale_days WHERE account_number = ? LIMIT ?)
      """, .integer(account), .number(limit))
  }

  /// Marks the day as no longer stale.
  static func removeStale(_ key: DaySettlement.DayKey, of account: Int64, in database: Database) throws {
    try database.run(
      "DELETE FROM movement_stale_days WHERE account_number = ? AND kind = ? AND day = ?", .integer(account),
      .number(key.kind.number), .day(key.day))
  }
}
