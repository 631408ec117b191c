import ActivityContract
import GRDB
import Operations
import Storage

/// The history of those whom an account follows, but of nothing that they have put away (ACT-12): of each of their activities the latest
/// entry, where they are shown by themselves, and all entries beside the account's own (T UC 03.02).
enum FollowedHistory {
  static let latest = """
    WITH latest AS MATERIALIZED (
      SELECT a.activity_id, (SELECT max(day) FROM entries e WHERE e.activity_id = a.activity_id) AS day
      FROM follows JOIN accounts o ON o.account_id = followed_account JOIN activities a ON a.account_id = followed_account
      WHERE follower_account = ? AND is_open = 1 AND a.archived_day IS NULL AND \(FollowStore.isThere))
    SELECT latest.activity_id, latest.day, p.latitude, p.longitude, e.comment
    FROM latest JOIN entries e ON e.activity_id = latest.activity_id AND e.day = latest.day
    LEFT JOIN entry_places p ON p.activity_id = latest.activity_id AND p.day = latest.day
    WHERE latest.day BETWEEN ? AND ? ORDER BY latest.day DESC, latest.activity_id DESC
    """

  /// The latest entry of each activity.
  static func latest(
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

  /// Of everyone followed the entries of some days, in no order.
  static let entries = """
    SELECT e.activity_id, e.day, p.latitude, p.longitude, e.comment
    FROM follows f CROSS JOIN accounts o ON o.account_id = f.followed_account
    CROSS JOIN entries e ON e.account_id = f.followed_account AND e.day BETWEEN ?2 AND ?3
    CROSS JOIN activities a ON a.activity_id = e.activity_id
    LEFT JOIN entry_places p ON p.activity_id = e.activity_id AND p.day = e.day
    WHERE f.follower_account = ?1 AND f.is_open = 1 AND a.archived_day IS NULL
    """

  /// All entries: a few days at a time, so that neither those who follow many nor those who look back far keep others waiting.
  static func all(
    of follower: AccountID, _ search: HistorySearch, behind start: HistoryPosition?, limit: Int, in database: Database
  ) throws -> HistoryStretch {
    var candidates = HistoryCandidates(search, behind: start, limit: limit)
    guard let days = candidates.days else { return HistoryStretch() }
    var window = HistoryWindow(try held(days, by: follower, in: database))
    while let days = candidates.next(&window) {
      var (found, fitting) = ([HistoryPosition](), Set<HistoryPosition>())
      try database.each(entries, .id(follower), .day(days.lowerBound), .day(days.upperBound)) { row in
        let position = HistoryPosition(day: row.day(1), activity: try row.id(0))
        found.append(position)
        if search.hasActivity(of: position), isThere(row, search), holdsText(row, search) { fitting.insert(position) }
        return true
      }
      candidates.take(found, of: days) { fitting.contains($0) }
    }
    return candidates.stretch
  }

  static let firstAndLast = """
    SELECT min(first_day), max(last_day) FROM (
      SELECT (SELECT min(day) FROM entries WHERE account_id = f.followed_account) AS first_day,
        (SELECT max(day) FROM entries WHERE account_id = f.followed_account) AS last_day
      FROM follows f WHERE f.follower_account = ? AND f.is_open = 1)
    """

  /// Of these days those between the first and the last entry of all who are followed; nil if they have none.
  private static func held(
    _ days: ClosedRange<LocalDay>, by follower: AccountID, in database: Database
  ) throws -> ClosedRange<LocalDay>? {
    let held = try database.first(firstAndLast, .id(follower)) { $0.isNull(0) ? nil : $0.day(0)...$0.day(1) }
    return held.flatMap { $0 }.flatMap { $0.overlaps(days) ? $0.clamped(to: days) : nil }
  }

  private static func isThere(_ row: Columns, _ search: HistorySearch) -> Bool {
    guard search.area != nil || search.needsPlace else { return true }
    return !row.isNull(2) && search.area?.contains(latitude: row.real(2), longitude: row.real(3)) ?? true
  }

  private static func holdsText(_ row: Columns, _ search: HistorySearch) -> Bool {
    guard let text = search.text else { return true }
    return !row.isNull(4) && FoldedText(row.text(4)).contains(text)
  }

  /// Whether followers see the entry: all that there are, but of activities that are put away.
  static func shows(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws -> Bool {
    try database.first(
      """
      SELECT archived_day IS NULL AND EXISTS (SELECT 1 FROM entries WHERE activity_id = ?1 AND day = ?2) FROM activities
      WHERE activity_id = ?1
      """, .id(activity), .day(day)
    ) { $0.truth(0) }
      ?? false
  }
}
