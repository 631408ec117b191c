import ActivityContract
import GRDB
import Operations
import Storage

/// Counts days again, from all samples of their time.
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

  /// Counts the day, and removes it from the stale days.
  func count(_ key: DaySettlement.DayKey) throws -> OverlapRules.Count {
    try MovementDayStore.removeStale(key, of: account, in: database)
    guard let (from, until) = try MovementDayStore.time(key, of: account, in: database) else { return OverlapRules.Count() }
    return OverlapRules.count(try samples(key, from: from, until: until), on: key.day)
  }

  /// Returns all samples of the day, and those that overlap it in time. They are in the day and in days whose time overlaps it; a sample is
  /// found by its first day, at most two days earlier.
  private func samples(_ key: DaySettlement.DayKey, from: Int64, until: Int64) throws -> [RankedSample] {
    let days = try MovementDayStore.meeting(key, from: from, until: until, of: account, in: database)
    guard let (firstDay, lastDay) = days else { return [] }
    let first = max(firstDay.advanced(by: -2), SampleKey.firstDay)
    var samples: [RankedSample] = []
    try MovementSampleStore.each(
      of: account, key.kind, beginning: first...lastDay, from: from, until: until, in: database
    ) { source, spread, flags in
      samples.append(RankedSample(rank: ranks[source] ?? .max, spread: spread, flags: flags))
    }
    return samples
  }
}
