import GRDB
import Operations
import RewardsContract
import Storage

/// The leaderboard of everyone: walks an index, and sums counts.
struct EveryoneLeaderboard: Leaderboard {
  private let view: LeaderboardView
  private let database: Database
  /// The counted scores that do not count for the reader: those of accounts that it has blocked or that have blocked it. Empty for a month
  /// that is over, where they still count, since the others keep their ranks.
  private let hidden: [Int]

  init(_ view: LeaderboardView, _ database: Database) throws {
    self.view = view
    self.database = database
    guard !view.isOver else {
      hidden = []
      return
    }
    var hidden: [Int] = []
    try database.each(EveryoneLeaderboard.hiddenSQL(view.metric), .id(view.reader), .number(view.period)) {
      hidden.append($0.number(0))
      return true
    }
    self.hidden = hidden
  }

  func positions(
    _ side: LeaderboardSide, of position: LeaderboardPosition?, limit: Int
  ) throws -> [LeaderboardPosition] {
    var found: [LeaderboardPosition] = []
    let score = position?.score ?? LeaderboardRules.end
    // A reader without a score comes after all with a score, and ties with all others without one.
    let account = score == 0 ? AccountID.last : position?.account ?? .placeholder
    try database.each(
      EveryoneLeaderboard.listSQL(view.metric, side), .id(view.reader), .number(view.period), .number(score), .id(account),
      .number(limit)
    ) { row in
      found.append(LeaderboardPosition(score: row.number(0), account: try row.id(1)))
      return true
    }
    return found
  }

  func ranks(of scores: [Int]) throws -> [Int] {
    var (above, previous) = (0, LeaderboardRules.end - 1)
    return try scores.map { score in
      above += try LeaderboardStore.people(
        with: min(score, previous) + 1..<previous + 1, by: view.metric, in: view.period, database)
      previous = score
      return 1 + above - hidden.count { $0 > score }
    }
  }

  static func hiddenSQL(_ metric: LeaderboardMetric) -> String {
    """
    SELECT s.\(metric.column) FROM (\(LeaderboardPeople.apart)) p CROSS JOIN leaderboard_scores s ON s.account_id = p.account_id
    WHERE s.period = ?2 AND s.is_counted = 1 AND s.\(metric.column) > 0
    """
  }

  /// A walk along the index from a position. The score has no second bound on the side where the walk starts: SQLite would start at that
  /// bound instead of at the position.
  static func listSQL(_ metric: LeaderboardMetric, _ side: LeaderboardSide) -> String {
    let (comparison, order) = side == .behind ? ("<", "DESC") : (">", "ASC")
    let bound = side == .behind ? "AND s.\(metric.column) > 0 " : ""
    return """
      SELECT s.\(metric.column), s.account_id FROM leaderboard_scores s INDEXED BY leaderboard_scores_by_\(metric.column)
      WHERE s.period = ?2 AND s.is_shown = 1 \(bound)AND (s.\(metric.column), s.account_id) \(comparison) (?3, ?4)
        AND NOT \(LeaderboardPeople.isApart("s.account_id"))
      ORDER BY s.\(metric.column) \(order), s.account_id \(order) LIMIT ?5
      """
  }
}
