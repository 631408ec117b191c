import Operations
import RewardsContract

/// A leaderboard as one reader sees it.
protocol Leaderboard {
  /// Those shown next to a position, which itself is none of them: the nearest first.
  ///
  /// - Parameter position: nil for the beginning.
  func positions(_ side: LeaderboardSide, of position: LeaderboardPosition?, limit: Int) throws -> [LeaderboardPosition]

  /// The ranks of scores, which fall.
  func ranks(of scores: [Int]) throws -> [Int]
}

/// Which leaderboard, and who reads it.
struct LeaderboardView {
  let reader: AccountID
  let metric: LeaderboardMetric
  let period: Int
  /// Whether ranks are as they were when everybody was shown who is counted.
  let isOver: Bool
}
