import ActivityContract
import GRDB
import Operations
import Storage

/// The history of an account's own entries: the most selective filter uses an index and yields entries in order; the other filters are
/// checked entry by entry.
enum OwnHistory {
  static func stretch(
    of account: AccountID, _ search: HistorySearch, behind start: HistoryPosition?, limit: Int, in database: Database
  ) throws -> HistoryStretch {
    var candidates = HistoryCandidates(
      search, behind: start, limit: limit, deleted: try DeletedActivityStore.list(of: account, in: database))
    guard let days = candidates.days else { return HistoryStretch() }
    let number = try HistoryAccountStore.number(of: account, in: database)
    switch try HistoryQueryPlan(search, of: account, number, days, in: database) {
    case .none: break
    case .text(let text, let number): try HistoryComments.take(text, of: number, days, &candidates, in: database)
    case .area(let area, let number): try HistoryPlaces.near(area, of: account, number, days, &candidates, in: database)
    case .activities(let activities): try HistoryActivities.take(activities, of: account, days, &candidates, in: database)
    case .days:
      try HistoryStore.each(search.needsPlace ? .places : .entries, of: account, days, in: database) {
        try candidates.take($0)
        return !candidates.isFull
      }
    }
    return candidates.stretch
  }
}
