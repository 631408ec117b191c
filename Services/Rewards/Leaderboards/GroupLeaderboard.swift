import GRDB
import Operations
import RewardsContract
import Storage

/// The leaderboard of the reader's friends or team, the reader included: few enough to be looked up one by one.
struct GroupLeaderboard: Leaderboard {
  /// The positions that are shown, the best first.
  private let shown: [LeaderboardPosition]
  /// The scores that count for ranks.
  private let counted: [Int]

  /// - Parameter people: a query of the accounts (`account_id`), by the reader's `?1`.
  init(_ view: LeaderboardView, people: String, _ database: Database) throws {
    var shown: [LeaderboardPosition] = []
    var counted: [Int] = []
    try database.each(GroupLeaderboard.sql(view.metric, people: people), .id(view.reader), .number(view.period)) { row in
      let position = LeaderboardPosition(score: row.number(0), account: try row.id(1))
      let (isShown, isCounted, isApart) = (row.truth(2), row.truth(3), row.truth(4))
      if isShown, !isApart { shown.append(position) }
      if isCounted, !isApart || view.isOver { counted.append(position.score) }
      return true
    }
    self.shown = shown.sorted()
    self.counted = counted
  }

  func positions(_ side: LeaderboardSide, of position: LeaderboardPosition?, limit: Int) -> [LeaderboardPosition] {
    switch side {
    case .behind: Array(shown.lazy.filter { other in position.map { $0 < other } ?? true }.prefix(limit))
    case .before: Array(shown.reversed().lazy.filter { other in position.map { other < $0 } ?? true }.prefix(limit))
    }
  }

  func ranks(of scores: [Int]) -> [Int] { scores.map { score in 1 + counted.count { $0 > score } } }

  static func sql(_ metric: LeaderboardMetric, people: String) -> String {
    """
    SELECT s.\(metric.column), s.account_id, s.is_shown, s.is_counted, \(LeaderboardPeople.isApart("s.account_id"))
    FROM (\(people) UNION SELECT ?1) p CROSS JOIN leaderboard_scores s ON s.account_id = p.account_id
    WHERE s.period = ?2 AND s.\(metric.column) > 0 AND (s.is_shown OR s.is_counted)
    """
  }
}
