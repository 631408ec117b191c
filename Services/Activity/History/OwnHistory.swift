import ActivityContract
import GRDB
import Operations

/// The history of an account's own entries: by whatever narrows it most, found by an index and in order; the rest is compared entry by
/// entry.
enum OwnHistory {
  static func stretch(
    of account: AccountID, _ search: HistorySearch, behind start: HistoryPosition?, limit: Int, in database: Database
  ) throws -> HistoryStretch {
    var candidates = HistoryCandidates(search, behind: start, limit: limit)
    guard let days = candidates.days else { return HistoryStretch() }
    let number = try HistoryAccounts.number(of: account, in: database)
    switch try HistoryWay(search, of: number, days, in: database) {
    case .none: break
    case .text(let text, let trigrams, let number): try byText(text, trigrams, number, days, &candidates, in: database)
    case .shortText(let text, let number): try byShortText(text, number, days, &candidates, in: database)
    case .area(let area, let number): try HistoryPlaces.near(area, of: account, number, days, &candidates, in: database)
    case .activities(let activities): try HistoryActivities.take(activities, of: account, days, &candidates, in: database)
    case .days:
      try candidates.take(
        Row.fetchCursor(
          database.cachedStatement(sql: search.needsPlace ? places : entries),
          arguments: [account, days.lowerBound, days.upperBound]))
    }
    return candidates.stretch
  }

  static let entries = """
    SELECT activity_id, day FROM entries WHERE account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC, activity_id DESC
    """

  static let places = """
    SELECT activity_id, day, latitude, longitude FROM entry_places
    WHERE account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC, activity_id DESC
    """

  /// Comments come by their numbers; so that the entries of a day are in their order, a day is taken as a whole.
  static let comments = """
    SELECT c.activity_id, c.day, p.latitude, p.longitude
    FROM entry_comment_index x JOIN entry_comments c ON c.comment_id = x.rowid
    LEFT JOIN entry_places p ON p.activity_id = c.activity_id AND p.day = c.day
    WHERE x.entry_comment_index MATCH ? AND x.rowid BETWEEN ? AND ? AND instr(c.folded, ?) > 0 ORDER BY x.rowid DESC
    """

  private static func byText(
    _ text: FoldedText, _ trigrams: String, _ account: Int64, _ days: ClosedRange<LocalDay>,
    _ candidates: inout HistoryCandidates, in database: Database
  ) throws {
    guard let keys = CommentKey.range(account, days) else { return }
    let rows = try Row.fetchCursor(
      database.cachedStatement(sql: comments), arguments: [trigrams, keys.lowerBound, keys.upperBound, text.description])
    try takeDays(rows, &candidates)
  }

  private static func takeDays(_ rows: RowCursor, _ candidates: inout HistoryCandidates) throws {
    var day: [(position: HistoryPosition, fits: Bool)] = []
    func take(_ day: [(position: HistoryPosition, fits: Bool)], _ candidates: inout HistoryCandidates) {
      for item in day.sorted(by: { $0.position < $1.position }) where !candidates.isFull {
        if let start = candidates.start, item.position <= start { continue }
        candidates.take(item.position, fits: item.fits)
      }
    }
    while let row = try rows.next() {
      let position = HistoryPosition(day: row[1], activity: row[0])
      if let last = day.last, last.position.day != position.day {
        take(day, &candidates)
        day = []
        if candidates.isFull { return }
      }
      day.append((position, candidates.fits(position, row)))
    }
    take(day, &candidates)
  }

  /// How many comments one page goes through for a text that is too short for the index.
  static let mostComments = 20_000

  static let shortComments = """
    SELECT c.activity_id, c.day, p.latitude, p.longitude
    FROM entry_comments c LEFT JOIN entry_places p ON p.activity_id = c.activity_id AND p.day = c.day
    WHERE c.comment_id BETWEEN ? AND ? AND instr(c.folded, ?) > 0 ORDER BY c.comment_id DESC
    """

  /// One or two characters: there is no index of them, but mostly they are found soon.
  private static func byShortText(
    _ text: FoldedText, _ account: Int64, _ days: ClosedRange<LocalDay>, _ candidates: inout HistoryCandidates,
    in database: Database
  ) throws {
    guard let keys = CommentKey.range(account, days) else { return }
    let bound = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT day FROM entry_comments WHERE comment_id BETWEEN ? AND ? ORDER BY comment_id DESC LIMIT 1 OFFSET \(mostComments)
          """), arguments: [keys.lowerBound, keys.upperBound])
    // Up to the whole of that day.
    let oldest = bound.map { $0[0] as LocalDay }
    guard let part = CommentKey.range(account, (oldest ?? days.lowerBound)...days.upperBound) else { return }
    try takeDays(
      Row.fetchCursor(
        database.cachedStatement(sql: shortComments), arguments: [part.lowerBound, part.upperBound, text.description]),
      &candidates)
    if let oldest, oldest > days.lowerBound, !candidates.isFull {
      candidates.stop(at: HistoryPosition(day: oldest, activity: .placeholder))
    }
  }
}
