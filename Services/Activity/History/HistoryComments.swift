import GRDB
import Operations
import Storage

/// Entries by the contents of their comments, newest first.
///
/// Comments come in the order of their keys; so that the entries of a day are in order, a day is read as a whole.
enum HistoryComments {
  /// How many comments are scanned for one page.
  static let maximum = 20_000

  /// Scans the blocks that may contain the text; a text of one or two characters may be in any block.
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
        // Extended to the whole of that day.
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

  /// Sorts the comments of each day into the order of its entries.
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

    /// Adds the entry of the next comment.
    mutating func take(_ position: HistoryPosition) throws {
      if position.day != day {
        try end()
        day = position.day
      }
      if candidates.search.hasActivity(of: position) { found.append(position) } else { others += 1 }
    }

    /// Finishes the last day and returns the candidates.
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
