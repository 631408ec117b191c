import GRDB
import Operations
import Storage

/// Entries by what their comments hold, newest first.
///
/// Comments come by their numbers; so that the entries of a day are in their order, a day is taken as a whole.
enum HistoryComments {
  /// How many comments one page goes through.
  static let maximum = 20_000

  /// Goes through the blocks that may hold the text; one or two characters may be in all of them.
  static func take(
    _ text: FoldedText, of account: Int64, _ days: ClosedRange<LocalDay>, _ candidates: inout HistoryCandidates,
    in database: Database
  ) throws {
    guard let keys = CommentKey.range(account, days) else { return }
    var day = Day(candidates, in: database)
    var (left, end) = (maximum, LocalDay?.none)
    try EntryCommentBlockStore.each(within: keys, of: account, mayHold: TrigramFilter.bits(of: text), in: database) { block in
      left -= block.count
      var first = block.keys.lowerBound
      if left <= 0 {
        // Up to the whole of that day.
        end = CommentKey.day(of: first)
        first = CommentKey.firstOfDay(first)
      }
      try HistoryStore.eachComment(holding: text, max(first, keys.lowerBound)...block.keys.upperBound, in: database) { position in
        try day.take(position)
        return !day.candidates.isFull
      }
      return left > 0 && !day.candidates.isFull
    }
    candidates = try day.ended()
    if let end, end > days.lowerBound, !candidates.isFull { candidates.stop(at: HistoryPosition(lastOf: end)) }
  }

  /// Puts the comments of each day into the order of its entries.
  private struct Day {
    private(set) var candidates: HistoryCandidates
    private let database: Database
    private var day: LocalDay?
    private var found: [HistoryPosition] = []
    private var others = 0

    init(_ candidates: HistoryCandidates, in database: Database) {
      self.candidates = candidates
      self.database = database
    }

    /// Takes the next comment's entry.
    mutating func take(_ position: HistoryPosition) throws {
      if position.day != day {
        try end()
        day = position.day
      }
      if candidates.search.hasActivity(of: position) { found.append(position) } else { others += 1 }
    }

    /// What all comments came to.
    mutating func ended() throws -> HistoryCandidates {
      try end()
      return candidates
    }

    private mutating func end() throws {
      guard let day, !candidates.isFull else { return }
      let (search, database) = (candidates.search, database)
      let lookUps = search.area == nil && !search.needsPlace ? 0 : 1
      try candidates.take(found, besides: others, of: day...day, lookUps: lookUps) { try search.hasPlace($0, in: database) }
      (found, others) = ([], 0)
    }
  }
}
