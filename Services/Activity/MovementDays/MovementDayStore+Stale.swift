import ActivityContract
import GRDB
import Operations
import Storage

/// The stale days, which are to be counted again.
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

  /// Marks the days on which several sources measured at the same time as stale. Where the account travelled in between, that time may be
  /// in different days for them.
  static func noteStale(of account: Int64, in database: Database) throws {
    try database.run(
      """
      INSERT OR IGNORE INTO movement_stale_days
      SELECT DISTINCT one.account_number, one.kind, one.day
      FROM movement_day_sources AS one JOIN movement_day_sources AS other
        ON other.account_number = one.account_number AND other.kind = one.kind AND other.day BETWEEN one.day - 2 AND one.day + 2
        AND other.source_number <> one.source_number AND other.from_at < one.until_at AND other.until_at > one.from_at
      WHERE one.account_number = ?
      """, .integer(account))
  }

  /// Marks the day as no longer stale.
  static func removeStale(_ key: DaySettlement.DayKey, of account: Int64, in database: Database) throws {
    try database.run(
      "DELETE FROM movement_stale_days WHERE account_number = ? AND kind = ? AND day = ?", .integer(account),
      .number(key.kind.number), .day(key.day))
  }
}
