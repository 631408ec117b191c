import Operations
import RewardsContract

/// A leaderboard as one reader sees it.
protocol Leaderboard {
  /// Returns the shown positions next to a position, without that position: the nearest first.
  ///
  /// - Parameter position: nil for the beginning.
  func positions(_ side: LeaderboardSide, of position: LeaderboardPosition?, limit: Int) throws -> [LeaderboardPosition]

  /// Returns the ranks of scores in descending order.
  func ranks(of scores: [Int]) throws -> [Int]
}

/// The leaderboard, and the account that reads it.
struct LeaderboardView {
  let reader: AccountID
  let metric: LeaderboardMetric
  let period: Int
  /// Whether the month is over, so that ranks are as they were when every counted account was shown.
  let isOver: Bool
}
