import GRDB
import Operations
import Storage

/// Entries by what their comments hold, newest first.
///
/// Comments come by their numbers; so that the entries of a day are in their order, a day is taken as a whole.
enum HistoryComments {
  static let indexed = """
    SELECT c.activity_id, c.day, instr(c.folded, ?4) > 0
    FROM entry_comment_index x JOIN entry_comments c ON c.comment_id = x.rowid
    WHERE x.entry_comment_index MATCH ?1 AND x.rowid BETWEEN ?2 AND ?3 ORDER BY x.rowid DESC
    """

  static func take(
    _ text: FoldedText, _ trigrams: String, of account: Int64, _ days: ClosedRange<LocalDay>,
    _ candidates: inout HistoryCandidates, in database: Database
  ) throws {
    guard let keys = CommentKey.range(account, days) else { return }
    var day = Day(candidates, in: database)
    try database.each(
      indexed, .text(trigrams), .integer(keys.lowerBound), .integer(keys.upperBound), .text(text.description)
    ) {
      try day.take(HistoryPosition(day: $0.day(1), activity: try $0.id(0)), holdsText: $0.truth(2))
      return !day.candidates.isFull
    }
    candidates = try day.ended()
  }

  /// How many comments one page goes through for a text that is too short for the index.
  static let maximum = 20_000

  static let short = """
    SELECT activity_id, day FROM entry_comments
    WHERE comment_id BETWEEN ?1 AND ?2 AND instr(folded, ?3) > 0 ORDER BY comment_id DESC
    """

  /// One or two characters: there is no index of them, but mostly they are found soon.
  static func take(
    _ text: FoldedText, of account: Int64, _ days: ClosedRange<LocalDay>, _ candidates: inout HistoryCandidates,
    in database: Database
  ) throws {
    guard let keys = CommentKey.range(account, days) else { return }
    // Up to the whole of that day.
    let oldest = try database.first(
      "SELECT day FROM entry_comments WHERE comment_id BETWEEN ? AND ? ORDER BY comment_id DESC LIMIT 1 OFFSET \(maximum)",
      .integer(keys.lowerBound), .integer(keys.upperBound)
    ) { $0.day(0) }
    guard let part = CommentKey.range(account, (oldest ?? days.lowerBound)...days.upperBound) else { return }
    var day = Day(candidates, in: database)
    try database.each(short, .integer(part.lowerBound), .integer(part.upperBound), .text(text.description)) {
      try day.take(HistoryPosition(day: $0.day(1), activity: try $0.id(0)), holdsText: true)
      return !day.candidates.isFull
    }
    candidates = try day.ended()
    if let oldest, oldest > days.lowerBound, !candidates.isFull {
      candidates.stop(at: HistoryPosition(lastOf: oldest))
    }
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
    mutating func take(_ position: HistoryPosition, holdsText: Bool) throws {
      if position.day != day {
        try end()
        day = position.day
      }
      if holdsText, candidates.search.hasActivity(of: position) { found.append(position) } else { others += 1 }
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
