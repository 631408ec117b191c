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
    hidden = try view.isOver ? [] : LeaderboardStore.hiddenScores(view, database)
  }

  func positions(
    _ side: LeaderboardSide, of position: LeaderboardPosition?, limit: Int
  ) throws -> [LeaderboardPosition] {
    let score = position?.score ?? LeaderboardRules.end
    // A reader without a score comes after all with a score, and ties with all others without one.
    let account = score == 0 ? AccountID.last : position?.account ?? .placeholder
    let start = LeaderboardPosition(score: score, account: account)
    return try LeaderboardStore.positions(side, of: start, view, limit: limit, database)
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
}
