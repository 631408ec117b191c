import ActivityContract
import GRDB
import Operations
import Storage

/// How a search finds its entries: by the most selective filter, as far as a short sample shows.
enum HistoryQueryPlan {
  /// There is nothing to find.
  case none
  case text(FoldedText, account: Int64)
  case area(HistoryArea, account: Int64)
  case activities(Set<ActivityID>)
  case days

  /// With fewer entries than this the search scans them without comparing filters: they fit the budget of one page.
  static let few = HistoryCandidates.maximum

  /// - Parameter number: the account's number, if it has any comment or place.
  init(
    _ search: HistorySearch, of account: AccountID, _ number: Int64?, _ days: ClosedRange<LocalDay>, in database: Database
  ) throws {
    guard search.text != nil || search.area != nil else {
      self = search.activities.map(HistoryQueryPlan.activities) ?? .days
      return
    }
    guard let number, let keys = CommentKey.range(number, days) else {
      self = .none
      return
    }
    if let text = search.text {
      let bits = TrigramFilter.bits(of: text)
      if try search.area == nil && search.activities == nil
        || !bits.isEmpty
          && EntryCommentBlockStore.count(
            within: keys, of: number, mayHold: bits, maximum: HistoryQueryPlan.few, in: database) < HistoryQueryPlan.few
      {
        self = .text(text, account: number)
        return
      }
    }
    if let area = search.area,
      try search.text == nil && search.activities == nil
        || HistoryPlaces.isRare(area, fewerThan: HistoryQueryPlan.few, of: account, number, days, in: database)
    {
      self = .area(area, account: number)
    } else if let activities = search.activities {
      self = .activities(activities)
    } else if let text = search.text {
      self = .text(text, account: number)
    } else {
      self = .none
    }
  }
}
