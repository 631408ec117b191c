import ActivityContract
import GRDB
import Operations
import Storage

/// Entries of the accounts that an account follows, without archived activities.
extension HistoryStore {
  /// An entry of another account, valid only while it is being read.
  struct FollowedEntry {
    let position: HistoryPosition
    private let row: Columns

    fileprivate init(_ row: Columns) throws {
      position = HistoryPosition(day: row.day(1), activity: try row.id(0))
      self.row = row
    }

    var place: (latitude: Double, longitude: Double)? { row.isNull(2) ? nil : (row.real(2), row.real(3)) }
    var comment: String? { row.isNull(4) ? nil : row.text(4) }
  }

  static let latestFollowed = """
    WITH latest AS MATERIALIZED (
      SELECT a.activity_id, (SELECT max(day) FROM entries e WHERE e.activity_id = a.activity_id) AS day
      FROM follows JOIN accounts o ON o.account_id = followed_account JOIN activities a ON a.account_id = followed_account
      WHERE follower_account = ?1 AND is_open = 1 AND a.archived_day IS NULL AND \(FollowStore.isThere("follows", at: "?4")))
    SELECT latest.activity_id, latest.day, p.latitude, p.longitude, e.comment
    FROM latest JOIN entries e ON e.activity_id = latest.activity_id AND e.day = latest.day
    LEFT JOIN entry_places p ON p.activity_id = latest.activity_id AND p.day = latest.day
    WHERE latest.day BETWEEN ?2 AND ?3 ORDER BY latest.day DESC, latest.activity_id DESC
    """

  /// Reads the latest entry of each activity, newest first, until the body returns false.
  static func eachLatestFollowed(
    by follower: AccountID, _ days: ClosedRange<LocalDay>, now: Instant, in database: Database,
    _ body: (FollowedEntry) throws -> Bool
  ) throws {
    try database.each(latestFollowed, .id(follower), .day(days.lowerBound), .day(days.upperBound), .instant(now)) {
      try body(FollowedEntry($0))
    }
  }

  static let followed = """
    SELECT e.activity_id, e.day, p.latitude, p.longitude, e.comment
    FROM follows f CROSS JOIN accounts o ON o.account_id = f.followed_account
    CROSS JOIN entries e ON e.account_id = f.followed_account AND e.day BETWEEN ?2 AND ?3
    CROSS JOIN activities a ON a.activity_id = e.activity_id AND a.account_id = e.account_id
    LEFT JOIN entry_places p ON p.activity_id = e.activity_id AND p.day = e.day
    WHERE f.follower_account = ?1 AND f.is_open = 1 AND a.archived_day IS NULL AND \(FollowStore.isThere("f", at: "?4"))
    """

  /// Reads the entries of all followed accounts on some days, in no order.
  static func eachFollowed(
    by follower: AccountID, _ days: ClosedRange<LocalDay>, now: Instant, in database: Database,
    _ body: (FollowedEntry) throws -> Void
  ) throws {
    try database.each(followed, .id(follower), .day(days.lowerBound), .day(days.upperBound), .instant(now)) {
      try body(FollowedEntry($0))
      return true
    }
  }

  static let firstAndLastFollowed = """
    SELECT min(first_day), max(last_day) FROM (
      SELECT (SELECT min(day) FROM entries WHERE account_id = f.followed_account) AS first_day,
        (SELECT max(day) FROM entries WHERE account_id = f.followed_account) AS last_day
      FROM follows f WHERE f.follower_account = ? AND f.is_open = 1)
    """

  /// Limits the days to those between the first and the last entry of all followed accounts; nil if there are none.
  static func heldFollowed(
    _ days: ClosedRange<LocalDay>, by follower: AccountID, in database: Database
  ) throws -> ClosedRange<LocalDay>? {
    let held = try database.first(firstAndLastFollowed, .id(follower)) { $0.isNull(0) ? nil : $0.day(0)...$0.day(1) }
    return held.flatMap { $0 }.flatMap { $0.overlaps(days) ? $0.clamped(to: days) : nil }
  }

  /// Whether followers see the entry: true unless its activity is archived.
  static func isShownToFollowers(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws -> Bool {
    try database.first(
      """
      SELECT archived_day IS NULL AND EXISTS (SELECT 1 FROM entries WHERE activity_id = ?1 AND day = ?2) FROM activities
      WHERE activity_id = ?1
      """, .id(activity), .day(day)
    ) { $0.truth(0) }
      ?? false
  }
}
