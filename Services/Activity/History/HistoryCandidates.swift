import ActivityContract
import Operations

/// Collects from entries that come in order what is looked for, until there is enough or it has looked at many.
struct HistoryCandidates {
  /// How many entries one page looks at. A search that ignores most of what it finds by one thing for lack of another goes on by
  /// cursor instead of keeping all others waiting.
  static let maximum = 2_000
  /// How many that were found in passing cost as much as one whose comment or place is looked up by its key.
  static let lookUpCost = 8

  let search: HistorySearch
  /// The position behind which is looked.
  let start: HistoryPosition?
  /// How many are wanted: one more than a page holds.
  let limit: Int
  /// Activities that are being deleted: their entries are there for nobody.
  private let deleted: Set<ActivityID>
  private(set) var stretch = HistoryStretch()
  private(set) var looked = 0
  /// What looking has cost, in entries found in passing.
  private var spent = 0
  private(set) var isFull = false

  init(
    _ search: HistorySearch, behind start: HistoryPosition?, limit: Int, deleted: Set<ActivityID> = []
  ) {
    self.deleted = deleted
    self.search = search
    self.start = start
    self.limit = limit
  }

  /// The days to look through: those asked for, not before the position behind which is looked.
  var days: ClosedRange<LocalDay>? {
    let newest = min(search.days.upperBound, start?.day ?? search.days.upperBound)
    return newest < search.days.lowerBound ? nil : search.days.lowerBound...newest
  }

  /// The days at whose entries to look next; nil behind the last.
  func next(_ window: inout HistoryWindow) -> ClosedRange<LocalDay>? {
    isFull ? nil : window.next(looked: looked, found: stretch.positions.count, of: limit)
  }

  /// Looks at the next entry.
  ///
  /// - Parameters:
  ///   - lookUps: how often it is looked up for that.
  ///   - fits: whether it is one that is looked for; not asked of those at which nobody looks.
  mutating func take(
    _ position: HistoryPosition, lookUps: Int = 0, fits: @autoclosure () throws -> Bool = true
  ) rethrows {
    if isFull { return }
    if let start, position <= start { return }
    looked += 1
    spent += 1 + lookUps * HistoryCandidates.lookUpCost
    let isThere = !deleted.contains(position.activity)
    if isThere, try fits() { stretch.positions.append(position) }
    if stretch.positions.count >= limit || spent >= HistoryCandidates.maximum { stop(at: position) }
  }

  /// Looks at the entries of the next days, which come in no order.
  ///
  /// - Parameters:
  ///   - found: those that may be looked for.
  ///   - others: how many more there are.
  ///   - lookUps: how often each of the former is looked up for that.
  ///   - fits: whether one is.
  mutating func take(
    _ found: [HistoryPosition], besides others: Int = 0, of days: ClosedRange<LocalDay>, lookUps: Int = 0,
    fits: (HistoryPosition) throws -> Bool = { _ in true }
  ) rethrows {
    looked += others
    spent += others
    for position in found.sorted() where !isFull { try take(position, lookUps: lookUps, fits: fits(position)) }
    // At most a thousand activities have an entry on a day, so that a page gets beyond the day on which it begins.
    if !isFull, spent >= HistoryCandidates.maximum { stop(at: HistoryPosition(lastOf: days.lowerBound)) }
  }

  /// Says that everything up to a position was looked through.
  mutating func stop(at position: HistoryPosition) {
    isFull = true
    stretch.end = position
  }
}
