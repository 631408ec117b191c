import ActivityContract
import GRDB
import Operations

/// Entries of some activities, newest first.
enum HistoryActivities {
  static let entries = """
    SELECT activity_id, day FROM entries
    WHERE activity_id = ? AND account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC LIMIT ?
    """

  static let places = """
    SELECT activity_id, day FROM entry_places
    WHERE activity_id = ? AND account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC LIMIT ?
    """

  static let compared = """
    SELECT e.activity_id, e.day, p.latitude, p.longitude, instr(c.folded, ?5) > 0
    FROM entries e LEFT JOIN entry_places p ON p.activity_id = e.activity_id AND p.day = e.day
    LEFT JOIN entry_comments c ON c.activity_id = e.activity_id AND c.day = e.day
    WHERE e.activity_id = ?1 AND e.account_id = ?2 AND e.day BETWEEN ?3 AND ?4
    """

  static func take(
    _ activities: Set<ActivityID>, of account: AccountID, _ days: ClosedRange<LocalDay>, _ candidates: inout HistoryCandidates,
    in database: Database
  ) throws {
    if candidates.search.text == nil, candidates.search.area == nil {
      return try takeAll(activities, of: account, days, &candidates, in: database)
    }
    let statement = try database.cachedStatement(sql: compared)
    let text = candidates.search.text?.description
    var window = try HistoryWindow(days, of: account, "entries", in: database)
    while !candidates.isFull, let days = window.next(after: candidates.looked) {
      let rows = try activities.flatMap { activity in
        try Row.fetchAll(statement, arguments: [activity, account, days.lowerBound, days.upperBound, text])
      }
      candidates.takeUnordered(rows, comparesText: true)
    }
  }

  /// Of each activity as many as the page could need.
  private static func takeAll(
    _ activities: Set<ActivityID>, of account: AccountID, _ days: ClosedRange<LocalDay>, _ candidates: inout HistoryCandidates,
    in database: Database
  ) throws {
    let statement = try database.cachedStatement(sql: candidates.search.needsPlace ? places : entries)
    var found: [HistoryPosition] = []
    for activity in activities {
      // One more, for the entry at whose place the page begins.
      let rows = try Row.fetchAll(
        statement, arguments: [activity, account, days.lowerBound, days.upperBound, candidates.limit + 1])
      found += rows.map { HistoryPosition(day: $0[1], activity: $0[0]) }
    }
    for position in found.sorted() where !candidates.isFull {
      if let start = candidates.start, position <= start { continue }
      candidates.take(position, fits: true)
    }
  }
}

/// A few days at a time, from the newest on, for what comes in no order; more of them where the last ones held little.
struct HistoryWindow {
  private static let mostGrowth = 4

  private let days: ClosedRange<LocalDay>?
  private var newest: LocalDay
  private var length = 4
  private var lookedBefore = 0

  /// - Parameter table: `entries` or `entry_places`: between whose first and last day of the account there is something to find.
  init(_ days: ClosedRange<LocalDay>, of account: AccountID, _ table: String, in database: Database) throws {
    let statement = try database.cachedStatement(
      sql: """
        SELECT (SELECT min(day) FROM \(table) WHERE account_id = ?1), (SELECT max(day) FROM \(table) WHERE account_id = ?1)
        """)
    let row = try Row.fetchOne(statement, arguments: [account])
    if let first = row?[0] as LocalDay?, let last = row?[1] as LocalDay?, (first...last).overlaps(days) {
      self.days = (first...last).clamped(to: days)
    } else {
      self.days = nil
    }
    newest = self.days?.upperBound ?? days.upperBound
  }

  /// The next days; nil behind the last.
  ///
  /// - Parameter looked: how many entries have been looked at so far.
  mutating func next(after looked: Int) -> ClosedRange<LocalDay>? {
    guard let days, newest >= days.lowerBound else { return nil }
    if newest < days.upperBound, looked - lookedBefore < HistoryWay.few { length *= HistoryWindow.mostGrowth }
    lookedBefore = looked
    let oldest = max(days.lowerBound, newest.advanced(by: 1 - length))
    defer { newest = oldest.advanced(by: -1) }
    return oldest...newest
  }
}
