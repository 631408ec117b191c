import ActivityContract
import Operations

/// The filters of a history search; see ``HistoryQuery``.
struct HistorySearch: Sendable {
  var activities: Set<ActivityID>?
  var text: FoldedText?
  var area: HistoryArea?
  var days: ClosedRange<LocalDay>
  /// Whether only entries with a location count.
  var needsPlace: Bool

  /// - Throws: `nothing_to_look_for` if nothing of the text counts in a comparison.
  init(_ query: HistoryQuery, needsPlace: Bool) throws(Failure) {
    activities = query.activityIDs.map { Set($0) }
    text = query.text.map { FoldedText($0) }
    if text?.isEmpty == true { throw Failure.field("text", HistoryQuery.nothingToLookFor) }
    if let latitude = query.latitude, let longitude = query.longitude {
      area = HistoryArea(
        latitude: latitude, longitude: longitude, meters: Double(query.radiusMeters ?? HistoryQuery.usualRadiusMeters))
    }
    let first = query.from ?? HistoryPosition.firstDay
    days = first...max(first, query.to ?? HistoryPosition.lastDay)
    self.needsPlace = needsPlace
  }
}

/// The position of an entry in a history: the newest day first, and within a day the most recently created activity first.
struct HistoryPosition: Hashable, Sendable, Comparable, CustomStringConvertible {
  static let firstDay = LocalDay(daysSinceEpoch: -719_162)
  static let lastDay = LocalDay(daysSinceEpoch: 2_932_896)

  let day: LocalDay
  let activity: ActivityID

  init(day: LocalDay, activity: ActivityID) {
    self.day = day
    self.activity = activity
  }

  /// The position after all others of a day.
  init(lastOf day: LocalDay) { self.init(day: day, activity: .placeholder) }

  /// Parses a position from its description.
  init(text: String) throws(FieldRule) {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count == 2 else { throw PageCursor.invalid }
    self.init(day: try LocalDay(text: parts[0]), activity: try ActivityID(text: parts[1]))
  }

  var description: String { "\(day)/\(activity)" }

  /// Whether one position comes before the other.
  static func < (one: HistoryPosition, other: HistoryPosition) -> Bool {
    one.day == other.day ? one.activity > other.activity : one.day > other.day
  }
}

/// A part of a history that was searched: complete up to `end`, or to the last entry where that is nil.
struct HistoryStretch: Sendable {
  /// The matching entries, in order.
  var positions: [HistoryPosition] = []
  /// The last position that was searched.
  var end: HistoryPosition?

  /// Merges two parts into the part that both cover.
  func merged(with other: HistoryStretch) -> HistoryStretch {
    let end = [end, other.end].compactMap { $0 }.min()
    let all = (positions + other.positions).sorted()
    return HistoryStretch(positions: end.map { end in all.filter { $0 <= end } } ?? all, end: end)
  }

  /// The first entries, up to a limit.
  func prefix(_ limit: Int) -> HistoryStretch {
    guard positions.count > limit else { return self }
    return HistoryStretch(positions: Array(positions.prefix(limit)), end: positions[limit - 1])
  }
}
