import ActivityContract
import GRDB
import Operations
import Storage

/// The sources that measured on a day, and between which times.
extension MovementDayStore {
  /// Whether anything was measured on the day.
  static func isMeasured(_ key: DaySettlement.DayKey, of account: Int64, in database: Database) throws -> Bool {
    try database.first(
      "SELECT 1 FROM movement_day_sources WHERE account_number = ? AND kind = ? AND day = ? LIMIT 1", .integer(account),
      .number(key.kind.number), .day(key.day)
    ) { _ in true } ?? false
  }

  /// The time within which anything was measured on the day; nil where nothing was.
  static func time(_ key: DaySettlement.DayKey, of account: Int64, in database: Database) throws -> (from: Int64, until: Int64)? {
    try database.first(
      "SELECT min(from_at), max(until_at) FROM movement_day_sources WHERE account_number = ? AND kind = ? AND day = ?",
      .integer(account), .number(key.kind.number), .day(key.day)
    ) { $0.isNull(0) ? nil : (Int64($0.number(0)), Int64($0.number(1))) } ?? nil
  }

  /// Records that the source measured on the day between these times.
  static func widen(
    _ key: DaySettlement.DayKey, of source: Int64, _ account: Int64, from: Int64, until: Int64, in database: Database
  ) throws {
    try database.run(
      """
      INSERT INTO movement_day_sources (account_number, kind, day, source_number, from_at, until_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET from_at = min(from_at, excluded.from_at), until_at = max(until_at, excluded.until_at)
      """, .integer(account), .number(key.kind.number), .day(key.day), .integer(source), .integer(from), .integer(until))
  }

  /// Whether another source may have measured at that time of the day. Where the account travelled in between, the same time may be in
  /// another day for that source.
  static func isContested(
    _ key: DaySettlement.DayKey, _ time: Range<Int64>, of source: Int64, _ account: Int64, in database: Database
  ) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM movement_day_sources
      WHERE account_number = ? AND kind = ? AND day BETWEEN ? AND ? AND source_number <> ? AND from_at < ? AND until_at > ?
      LIMIT 1
      """, .integer(account), .number(key.kind.number), .day(key.day.advanced(by: -2)), .day(key.day.advanced(by: 2)),
      .integer(source), .integer(time.upperBound), .integer(time.lowerBound)
    ) { _ in true } ?? false
  }

  /// The days on which anything may have been measured at that time.
  static func measured(
    _ key: DaySettlement.DayKey, _ time: Range<Int64>, of account: Int64, in database: Database
  ) throws -> Set<DaySettlement.DayKey> {
    let statement = try database.cachedStatement(
      sql: """
        SELECT DISTINCT day FROM movement_day_sources
        WHERE account_number = ? AND kind = ? AND day BETWEEN ? AND ? AND from_at < ? AND until_at > ?
        """)
    let days = try LocalDay.fetchAll(
      statement,
      arguments: [account, key.kind.number, key.day.advanced(by: -2), key.day.advanced(by: 2), time.upperBound, time.lowerBound])
    return Set(days.map { DaySettlement.DayKey(kind: key.kind, day: $0) })
  }

  /// The first and the last day whose time overlaps the given day's time; nil where there is none.
  static func meeting(
    _ key: DaySettlement.DayKey, from: Int64, until: Int64, of account: Int64, in database: Database
  ) throws -> (first: LocalDay, last: LocalDay)? {
    try database.first(
      """
      SELECT min(day), max(day) FROM movement_day_sources
      WHERE account_number = ? AND kind = ? AND day BETWEEN ? AND ? AND from_at <= ? AND until_at >= ?
      """, .integer(account), .number(key.kind.number), .day(key.day.advanced(by: -2)), .day(key.day.advanced(by: 2)),
      .integer(until), .integer(from)
    ) { ($0.day(0), $0.day(1)) }
  }
}
