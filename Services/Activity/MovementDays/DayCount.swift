import ActivityContract
import GRDB
import Operations
import Storage

/// Counts days anew, from all that was measured at their time.
struct DayCount {
  private let account: Int64
  private let database: Database
  /// The rank of each source in the account's order, by its number.
  private let ranks: [Int64: Int]

  init(of account: Int64, in database: Database) throws {
    self.account = account
    self.database = database
    let sources = try MovementSourceStore.ordered(of: account, in: database)
    ranks = Dictionary(uniqueKeysWithValues: sources.enumerated().map { ($1.number, $0) })
  }

  /// What counts of the day; it is no longer to be counted anew.
  func count(_ key: DaySettlement.DayKey) throws -> OverlapRules.Count {
    try database.run(
      "DELETE FROM movement_stale_days WHERE account_number = ? AND kind = ? AND day = ?", .integer(account),
      .number(key.kind.number), .day(key.day))
    let time = try database.first(
      "SELECT min(from_at), max(until_at) FROM movement_day_sources WHERE account_number = ? AND kind = ? AND day = ?",
      .integer(account), .number(key.kind.number), .day(key.day)
    ) { $0.isNull(0) ? nil : (Int64($0.number(0)), Int64($0.number(1))) }
    guard case (let from, let until)?? = time else { return OverlapRules.Count() }
    return OverlapRules.count(try samples(key, from: from, until: until), on: key.day)
  }

  /// All that was measured on the day, and what overlaps it in time. That lies in the day and in those whose time meets its own; samples
  /// are found by their first day, at most two before.
  private func samples(_ key: DaySettlement.DayKey, from: Int64, until: Int64) throws -> [RankedSample] {
    let days = try database.first(
      """
      SELECT min(day), max(day) FROM movement_day_sources
      WHERE account_number = ? AND kind = ? AND day BETWEEN ? AND ? AND from_at <= ? AND until_at >= ?
      """, .integer(account), .number(key.kind.number), .day(key.day.advanced(by: -2)), .day(key.day.advanced(by: 2)),
      .integer(until), .integer(from)
    ) { ($0.day(0), $0.day(1)) }
    guard let (firstDay, lastDay) = days else { return [] }
    let first = SampleKey(account: account, kind: key.kind, day: max(firstDay.advanced(by: -2), SampleKey.firstDay))
    let last = SampleKey(account: account, kind: key.kind, day: lastDay)
    let statement = try database.cachedStatement(
      sql: """
        SELECT place, start_at, end_at, amount, source_number, marks, form, sample_id FROM movement_samples
        WHERE place >= ? AND place < ? AND start_at < ? AND end_at >= ? AND form < 2
        """)
    let rows = try Row.fetchCursor(statement, arguments: [first.rawValue, last.ofDay.upperBound, until, from])
    var samples: [RankedSample] = []
    while let row = try rows.next() {
      let (start, end, form): (Int64, Int64, Int) = (row[1], row[2], row[6])
      let pieces = form == 1 ? try MovementSampleStore.pieces(of: row[7], account, in: database) : []
      samples.append(
        RankedSample(
          rank: ranks[row[4]] ?? .max,
          spread: Spread(
            amount: row[3], from: start, until: max(end, start + 1), day: SampleKey.day(row[0]), pieces: pieces),
          flags: SampleFlags(rawValue: UInt8(truncatingIfNeeded: row[5] as Int))))
    }
    return samples
  }
}
