/// What is added to an account's scores, or taken away if negative: those of months, and with them that of all time.
struct ScoreChanges: Sendable {
  /// What comes to one score.
  struct Change: Hashable, Sendable {
    var steps = 0
    var coins = 0
  }

  private var changes: [Int: Change] = [:]

  mutating func add(steps: Int = 0, coins: Int = 0, to month: Int) {
    for period in [LeaderboardRules.allTime, month] {
      changes[period, default: Change()].steps += steps
      changes[period, default: Change()].coins += coins
    }
  }

  /// By period, as the tables number them: all time first.
  var byPeriod: [(period: Int, change: Change)] { changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}
