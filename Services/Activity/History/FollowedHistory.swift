import ActivityContract
import GRDB
import Operations
import Storage

/// The history of those whom an account follows: of each of their activities the latest entry, and no other; of what they have put
/// away, none (ACT-12).
enum FollowedHistory {
  static let latest = """
    WITH latest AS MATERIALIZED (
      SELECT a.activity_id, (SELECT max(day) FROM entries e WHERE e.activity_id = a.activity_id) AS day
      FROM follows JOIN accounts o ON o.account_id = followed_account JOIN activities a ON a.account_id = followed_account
      WHERE follower_account = ? AND is_open = 1 AND a.archived_day IS NULL AND \(Follows.isThere))
    SELECT latest.activity_id, latest.day, p.latitude, p.longitude, e.comment
    FROM latest JOIN entries e ON e.activity_id = latest.activity_id AND e.day = latest.day
    LEFT JOIN entry_places p ON p.activity_id = latest.activity_id AND p.day = latest.day
    WHERE latest.day BETWEEN ? AND ? ORDER BY latest.day DESC, latest.activity_id DESC
    """

  static func stretch(
    of follower: AccountID, _ search: HistorySearch, behind start: HistoryPosition?, limit: Int, in database: Database
  ) throws -> HistoryStretch {
    var candidates = HistoryCandidates(search, behind: start, limit: limit)
    guard let days = candidates.days else { return HistoryStretch() }
    try database.each(latest, .id(follower), .day(days.lowerBound), .day(days.upperBound)) { row in
      let position = HistoryPosition(day: row.day(1), activity: try row.id(0))
      candidates.take(position, fits: search.hasActivity(of: position) && isThere(row, search) && holdsText(row, search))
      return !candidates.isFull
    }
    return candidates.stretch
  }

  private static func isThere(_ row: Columns, _ search: HistorySearch) -> Bool {
    guard search.area != nil || search.needsPlace else { return true }
    return !row.isNull(2) && search.area?.contains(latitude: row.real(2), longitude: row.real(3)) ?? true
  }

  private static func holdsText(_ row: Columns, _ search: HistorySearch) -> Bool {
    guard let text = search.text else { return true }
    return !row.isNull(4) && FoldedText(row.text(4)).contains(text)
  }

  /// Whether the entry is the one of its activity that followers see.
  static func shows(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws -> Bool {
    try database.first(
      """
      SELECT (SELECT max(day) FROM entries WHERE activity_id = ?1) = ?2 FROM activities
      WHERE activity_id = ?1 AND archived_day IS NULL
      """, .id(activity), .day(day)
    ) { $0.truth(0) }
      ?? false
  }
}
