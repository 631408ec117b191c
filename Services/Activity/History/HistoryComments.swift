import GRDB
import Operations
import Storage

/// Entries by what their comments hold, newest first.
///
/// Comments come by their numbers; so that the entries of a day are in their order, a day is taken as a whole.
enum HistoryComments {
  static func take(
    _ text: FoldedText, _ trigrams: String, of account: Int64, _ days: ClosedRange<LocalDay>,
    _ candidates: inout HistoryCandidates, in database: Database
  ) throws {
    guard let keys = CommentKey.range(account, days) else { return }
    var day = Day(candidates, in: database)
    try HistoryStore.eachComment(matching: trigrams, keys, text, in: database) { position, holdsText in
      try day.take(position, holdsText: holdsText)
      return !day.candidates.isFull
    }
    candidates = try day.ended()
  }

  /// How many comments one page goes through for a text that is too short for the index.
  static let maximum = 20_000

  /// One or two characters: there is no index of them, but mostly they are found soon.
  static func take(
    _ text: FoldedText, of account: Int64, _ days: ClosedRange<LocalDay>, _ candidates: inout HistoryCandidates,
    in database: Database
  ) throws {
    guard let keys = CommentKey.range(account, days) else { return }
    // Up to the whole of that day.
    let oldest = try HistoryStore.dayOfComment(behind: maximum, keys, in: database)
    guard let part = CommentKey.range(account, (oldest ?? days.lowerBound)...days.upperBound) else { return }
    var day = Day(candidates, in: database)
    try HistoryStore.eachComment(holding: text, part, in: database) { position in
      try day.take(position, holdsText: true)
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
