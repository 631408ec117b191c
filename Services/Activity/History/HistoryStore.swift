import ActivityContract
import GRDB
import Operations
import Storage

/// The queries of the history: entries, their places and comments, by what narrows them.
enum HistoryStore {
  /// All entries, or only those with a place.
  enum Source: String {
    case entries
    case places = "entry_places"
  }

  static let entries = """
    SELECT activity_id, day FROM entries WHERE account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC, activity_id DESC
    """

  static let places = """
    SELECT activity_id, day FROM entry_places WHERE account_id = ? AND day BETWEEN ? AND ? ORDER BY day DESC, activity_id DESC
    """

  /// Reads an account's entries, newest first, until the body returns false.
  static func each(
    _ source: Source, of account: AccountID, _ days: ClosedRange<LocalDay>, in database: Database,
    _ body: (HistoryPosition) throws -> Bool
  ) throws {
    let sql = source == .places ? places : entries
    try database.each(sql, .id(account), .day(days.lowerBound), .day(days.upperBound)) {
      try body(HistoryPosition(day: $0.day(1), activity: $0.id(0)))
    }
  }

  // By activity and day: the plus keeps SQLite from scanning all of the account's entries on those days instead.
  static let entriesOfActivity = "SELECT day FROM entries WHERE activity_id = ? AND +account_id = ? AND day BETWEEN ? AND ?"
  static let placesOfActivity = "SELECT day FROM entry_places WHERE activity_id = ? AND +account_id = ? AND day BETWEEN ? AND ?"

  /// The entries of one of an account's activities, in no order.
  static func list(
    _ source: Source, of activity: ActivityID, _ account: AccountID, _ days: ClosedRange<LocalDay>, in database: Database
  ) throws -> [HistoryPosition] {
    var found: [HistoryPosition] = []
    let sql = source == .places ? placesOfActivity : entriesOfActivity
    try database.each(sql, .id(activity), .id(account), .day(days.lowerBound), .day(days.upperBound)) {
      found.append(HistoryPosition(day: $0.day(0), activity: activity))
      return true
    }
    return found
  }

  /// Limits the days to those between the account's first and last; nil if it has none.
  static func held(
    _ source: Source, _ days: ClosedRange<LocalDay>, of account: AccountID, in database: Database
  ) throws -> ClosedRange<LocalDay>? {
    let table = source.rawValue
    let held = try database.first(
      """
      SELECT (SELECT min(day) FROM \(table) WHERE account_id = ?1), (SELECT max(day) FROM \(table) WHERE account_id = ?1)
      """, .id(account)
    ) { $0.isNull(0) ? nil : $0.day(0)...$0.day(1) }
    return held.flatMap { $0 }.flatMap { $0.overlaps(days) ? $0.clamped(to: days) : nil }
  }
}
