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
    for member in try LeaderboardStore.members(view, people: people, database) {
      if member.isShown, !member.isApart { shown.append(member.position) }
      if member.isCounted, !member.isApart || view.isOver { counted.append(member.position.score) }
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
}
