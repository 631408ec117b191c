/// Changes of an account's scores, negative for deductions: by month, and thereby for all time.
struct ScoreChanges: Sendable {
  /// The change of one score.
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

  /// Sorted by the periods' numbers in the tables: all time first.
  var byPeriod: [(period: Int, change: Change)] { changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}
