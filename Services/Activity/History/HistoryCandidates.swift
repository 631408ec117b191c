import ActivityContract
import Operations

/// Collects matching entries from a sequence in order, until there are enough or the budget is spent.
struct HistoryCandidates {
  /// How many entries one page examines. A search that discards most of what it finds continues by cursor instead of making others wait.
  static let maximum = 2_000
  /// How many entries of a scan cost as much as one look-up of a comment or place by key.
  static let lookUpCost = 8

  let search: HistorySearch
  /// The position after which to search.
  let start: HistoryPosition?
  /// How many entries are wanted: one more than a page has.
  let limit: Int
  /// Activities that are being deleted: their entries are invisible.
  private let deleted: Set<ActivityID>
  private(set) var stretch = HistoryStretch()
  private(set) var looked = 0
  /// The budget spent so far, in scanned entries.
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

  /// The days to search: those asked for, up to the start position.
  var days: ClosedRange<LocalDay>? {
    let newest = min(search.days.upperBound, start?.day ?? search.days.upperBound)
    return newest < search.days.lowerBound ? nil : search.days.lowerBound...newest
  }

  /// The next days to examine; nil after the last.
  func next(_ window: inout HistoryWindow) -> ClosedRange<LocalDay>? {
    isFull ? nil : window.next(looked: looked, found: stretch.positions.count, of: limit)
  }

  /// Examines the next entry.
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

  /// Examines the entries of the next days, which are not in order.
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
    // At most a thousand activities have an entry on one day, so that a page always gets beyond the day on which it begins.
    if !isFull, spent >= HistoryCandidates.maximum { stop(at: HistoryPosition(lastOf: days.lowerBound)) }
  }

  /// Records that everything up to a position was searched.
  mutating func stop(at position: HistoryPosition) {
    isFull = true
    stretch.end = position
  }
}
