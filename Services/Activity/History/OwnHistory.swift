import ActivityContract
import GRDB
import Operations
import Storage

/// The history of an account's own entries: by whatever narrows it most, found by an index and in order; the rest is compared entry by
/// entry.
enum OwnHistory {
  static func stretch(
    of account: AccountID, _ search: HistorySearch, behind start: HistoryPosition?, limit: Int, in database: Database
  ) throws -> HistoryStretch {
    var candidates = HistoryCandidates(search, behind: start, limit: limit)
    guard let days = candidates.days else { return HistoryStretch() }
    let number = try HistoryAccountStore.number(of: account, in: database)
    switch try HistoryQueryPlan(search, of: account, number, days, in: database) {
    case .none: break
    case .text(let text, let trigrams, let number):
      try HistoryComments.take(text, trigrams, of: number, days, &candidates, in: database)
    case .shortText(let text, let number): try HistoryComments.take(text, of: number, days, &candidates, in: database)
    case .area(let area, let number): try HistoryPlaces.near(area, of: account, number, days, &candidates, in: database)
    case .activities(let activities): try HistoryActivities.take(activities, of: account, days, &candidates, in: database)
    case .days:
      try database.each(search.needsPlace ? places : entries, .id(account), .day(days.lowerBound), .day(days.upperBound)) {
        try candidates.take(HistoryPosition(day: $0.day(1), activity: $0.id(0)))
        return !candidates.isFull
      }
    }
    return candidates.stretch
  }

  static let entries = """
    SELECT activity_id, day FROM entries WHERE account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC, activity_id DESC
    """

  static let places = """
    SELECT activity_id, day FROM entry_places WHERE account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC, activity_id DESC
    """
}
