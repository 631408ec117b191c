import GRDB
import Operations
import RewardsContract
import Storage

/// Reads leaderboards: that of everyone by a walk along an index, that of a group by one look-up for each of its people.
extension LeaderboardStore {
  // MARK: - Everyone

  /// The counted scores of the accounts that the reader has blocked or that have blocked it.
  static func hiddenScores(_ view: LeaderboardView, _ database: Database) throws -> [Int] {
    var found: [Int] = []
    try database.each(hiddenSQL(view.metric), .id(view.reader), .number(view.period)) {
      found.append($0.number(0))
      return true
    }
    return found
  }

  static func hiddenSQL(_ metric: LeaderboardMetric) -> String {
    """
    SELECT s.\(metric.column) FROM (\(LeaderboardPeopleStore.apart)) p
    CROSS JOIN leaderboard_scores s ON s.account_id = p.account_id
    WHERE s.period = ?2 AND s.is_counted = 1 AND s.\(metric.column) > 0
    """
  }

  /// The shown positions next to a position, without that position: the nearest first.
  static func positions(
    _ side: LeaderboardSide, of position: LeaderboardPosition, _ view: LeaderboardView, limit: Int, _ database: Database
  ) throws -> [LeaderboardPosition] {
    var found: [LeaderboardPosition] = []
    try database.each(
      listSQL(view.metric, side), .id(view.reader), .number(view.period), .number(position.score), .id(position.account),
      .number(limit)
    ) { row in
      found.append(LeaderboardPosition(score: row.number(0), account: try row.id(1)))
      return true
    }
    return found
  }

  /// A walk along the index from a position. The score has no second bound on the side where the walk starts: SQLite would start at that
  /// bound instead of at the position.
  static func listSQL(_ metric: LeaderboardMetric, _ side: LeaderboardSide) -> String {
    let (comparison, order) = side == .behind ? ("<", "DESC") : (">", "ASC")
    let bound = side == .behind ? "AND s.\(metric.column) > 0 " : ""
    return """
      SELECT s.\(metric.column), s.account_id FROM leaderboard_scores s INDEXED BY leaderboard_scores_by_\(metric.column)
      WHERE s.period = ?2 AND s.is_shown = 1 \(bound)AND (s.\(metric.column), s.account_id) \(comparison) (?3, ?4)
        AND NOT \(LeaderboardPeopleStore.isApart("s.account_id"))
      ORDER BY s.\(metric.column) \(order), s.account_id \(order) LIMIT ?5
      """
  }

  // MARK: - A group

  /// One of a group with a score.
  struct Member {
    let position: LeaderboardPosition
    let isShown: Bool
    let isCounted: Bool
    /// Whether the reader has blocked it, or it the reader.
    let isApart: Bool
  }

  /// The people of a group and the reader, as far as they have a score that is shown or counted.
  ///
  /// - Parameter people: a query of the accounts (`account_id`), by the reader's `?1`.
  static func members(_ view: LeaderboardView, people: String, _ database: Database) throws -> [Member] {
    var found: [Member] = []
    try database.each(groupSQL(view.metric, people: people), .id(view.reader), .number(view.period)) { row in
      found.append(
        Member(
          position: LeaderboardPosition(score: row.number(0), account: try row.id(1)), isShown: row.truth(2),
          isCounted: row.truth(3), isApart: row.truth(4)))
      return true
    }
    return found
  }

  static func groupSQL(_ metric: LeaderboardMetric, people: String) -> String {
    """
    SELECT s.\(metric.column), s.account_id, s.is_shown, s.is_counted, \(LeaderboardPeopleStore.isApart("s.account_id"))
    FROM (\(people) UNION SELECT ?1) p CROSS JOIN leaderboard_scores s ON s.account_id = p.account_id
    WHERE s.period = ?2 AND s.\(metric.column) > 0 AND (s.is_shown OR s.is_counted)
    """
  }
}
