import ActivityContract
import GRDB
import Operations

/// Collects from entries that come in order what is looked for, until there is enough or it has looked at many.
struct HistoryCandidates {
  /// How many entries one page looks at. A search that passes over most of what it finds by one thing for lack of another goes on by
  /// cursor instead of keeping all others waiting.
  static let most = 4_000

  let search: HistorySearch
  /// The place behind which is looked.
  let start: HistoryPosition?
  /// How many are wanted: one more than a page holds.
  let limit: Int
  private(set) var stretch = HistoryStretch()
  private(set) var looked = 0
  private(set) var isFull = false

  init(_ search: HistorySearch, behind start: HistoryPosition?, limit: Int) {
    self.search = search
    self.start = start
    self.limit = limit
  }

  /// The days to look through: those asked for, not before the place behind which is looked.
  var days: ClosedRange<LocalDay>? {
    let newest = min(search.days.upperBound, start?.day ?? search.days.upperBound)
    return newest < search.days.lowerBound ? nil : search.days.lowerBound...newest
  }

  /// Looks at entries that come newest first, of the columns `activity_id, day, latitude, longitude`; the latter are null, or left out,
  /// where nobody asks.
  mutating func take(_ rows: RowCursor) throws {
    while !isFull, let row = try rows.next() {
      let position = HistoryPosition(day: row[1], activity: row[0])
      if let start, position <= start { continue }
      take(position, fits: fits(position, row))
    }
  }

  mutating func take(_ position: HistoryPosition, fits: Bool) {
    looked += 1
    if fits { stretch.positions.append(position) }
    guard stretch.positions.count >= limit || looked >= HistoryCandidates.most else { return }
    isFull = true
    stretch.end = position
  }

  /// Says that nothing was found up to a place that was looked through otherwise.
  mutating func stop(at position: HistoryPosition) {
    isFull = true
    stretch.end = position
  }

  /// Looks at entries that come in no order, and behind those looked at before.
  mutating func takeUnordered(_ rows: [Row], comparesText: Bool) {
    let found = rows.map { (position: HistoryPosition(day: $0[1], activity: $0[0]), row: $0) }
    for item in found.sorted(by: { $0.position < $1.position }) where !isFull {
      if let start, item.position <= start { continue }
      take(item.position, fits: fits(item.position, item.row, comparesText: comparesText))
    }
  }

  /// What does not follow from how the entry was found.
  ///
  /// - Parameter comparesText: whether the row says in its column 4 if the comment holds the text that is looked for.
  func fits(_ position: HistoryPosition, _ row: Row, comparesText: Bool = false) -> Bool {
    if comparesText, search.text != nil, row[4] as Bool? != true { return false }
    if let activities = search.activities, !activities.contains(position.activity) { return false }
    guard search.area != nil || search.needsPlace else { return true }
    guard let latitude = row[2] as Double?, let longitude = row[3] as Double? else { return false }
    return search.area?.contains(latitude: latitude, longitude: longitude) ?? true
  }
}
