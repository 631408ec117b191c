import ActivityContract
import GRDB
import Operations
import Storage

/// The history of those whom an account follows: of each of their activities the latest entry, and no other (ACT-12).
enum FollowedHistory {
  static let latest = """
    WITH latest AS MATERIALIZED (
      SELECT a.activity_id, (SELECT max(day) FROM entries e WHERE e.activity_id = a.activity_id) AS day
      FROM follows f JOIN accounts o ON o.account_id = f.followed_account JOIN activities a ON a.account_id = f.followed_account
      WHERE f.follower_account = ? AND f.is_open = 1)
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
    let rows = try Row.fetchCursor(
      database.cachedStatement(sql: latest), arguments: [follower, days.lowerBound, days.upperBound])
    while !candidates.isFull, let row = try rows.next() {
      let position = HistoryPosition(day: row[1], activity: row[0])
      if let start, position <= start { continue }
      candidates.take(position, fits: candidates.fits(position, row) && holds(row[4], search.text))
    }
    return candidates.stretch
  }

  private static func holds(_ comment: String?, _ text: FoldedText?) -> Bool {
    guard let text else { return true }
    return comment.map { FoldedText($0).contains(text) } ?? false
  }

  /// Whether the entry is the one of its activity that followers see.
  static func shows(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws -> Bool {
    try database.first("SELECT max(day) = ? FROM entries WHERE activity_id = ?", .day(day), .id(activity)) { $0.truth(0) }
      ?? false
  }
}
