import Operations
import RewardsContract
import ServiceKit

@testable import RewardsService

/// Leaderboards in a slow and obvious way: everything is added up and sorted anew whenever somebody looks.
struct LeaderboardModel {
  struct Person {
    let id: AccountID
    let calendar: LocalCalendar
    var isVisible = false
    var isSuspended = false
    var consents = true
    var isErased = false
    var days: [LocalDay: (steps: Int, revision: Int)] = [:]
    /// By months, as the ledger has them.
    var coins: [Int: Int] = [:]
    /// Whether it counts for the others, by the times in which it has a score.
    var isCounted: [Int: Bool] = [:]
    var friends: Set<Int> = []
    var apart: Set<Int> = []
    var team: Int?

    var isShown: Bool { isVisible && !isSuspended && consents && !isErased }

    func score(_ metric: LeaderboardMetric, _ period: Int) -> Int {
      switch metric {
      case .steps:
        days.filter { period == 0 || LeaderboardRules.month(of: $0.key) == period }.reduce(0) { $0 + $1.value.steps }
      case .coins: max(0, coins.filter { period == 0 || $0.key == period }.reduce(0) { $0 + $1.value })
      }
    }
  }

  /// What an erased person leaves in a month that is over: an empty rank.
  private struct Gap: Hashable {
    let period: Int
    let metric: LeaderboardMetric
    let score: Int
  }

  /// Somebody with score and rank, as a reader sees them.
  struct Rank: Hashable {
    let account: AccountID
    let score: Int
    let rank: Int
  }

  let formula = CoinFormula()
  var people: [Person]
  private var gaps: [Gap] = []

  init(_ people: [Person]) { self.people = people }

  /// The steps of a day, as activity publishes them.
  mutating func walk(_ person: Int, _ steps: Int, on day: LocalDay, recordedOn recorded: LocalDay, revision: Int) {
    guard !people[person].isErased, formula.earns(day, recordedOn: recorded) else { return }
    let before = people[person].days[day]
    if let before, before.revision >= revision { return }
    people[person].days[day] = (steps, revision)
    guard steps != before?.steps ?? 0 else { return }
    for period in [0, LeaderboardRules.month(of: day)] where people[person].isCounted[period] == nil {
      people[person].isCounted[period] = people[person].isShown
    }
  }

  /// Somebody is changed, and may appear or vanish by that.
  mutating func change(_ person: Int, at months: LeaderboardMonths, _ change: (inout Person) -> Void) {
    let wasShown = people[person].isShown
    change(&people[person])
    let isShown = people[person].isShown
    guard wasShown != isShown || people[person].isErased else { return }
    for (period, isCounted) in people[person].isCounted {
      let keepsRanks = isShown ? months.stands(period) : months.isOver(period)
      if !keepsRanks { people[person].isCounted[period] = isShown }
      guard people[person].isErased, keepsRanks, isCounted else { continue }
      for metric in LeaderboardMetric.allCases {
        gaps.append(Gap(period: period, metric: metric, score: people[person].score(metric, period)))
      }
    }
    if people[person].isErased {
      people[person].days = [:]
      people[person].coins = [:]
      people[person].isCounted = [:]
    }
  }

  /// All that a reader sees: everybody shown, the best first, and where the reader stands among them.
  func leaderboard(
    _ metric: LeaderboardMetric, _ period: Int, _ scope: LeaderboardScope, for reader: Int, isOver: Bool
  ) -> (ranks: [Rank], own: Rank) {
    let own = people[reader]
    let among = people.indices.filter { other in
      switch scope {
      case .everyone: true
      case .friends: other == reader || own.friends.contains(other)
      case .team: other == reader || people[other].team == own.team
      }
    }
    var counted = among.filter { other in
      people[other].isCounted[period] == true && (isOver || !own.apart.contains(other))
    }.map { people[$0].score(metric, period) }
    if scope == .everyone {
      counted += gaps.filter { $0.period == period && $0.metric == metric }.map(\.score)
    }
    func rank(_ person: Int) -> Rank {
      let score = people[person].score(metric, period)
      return Rank(account: people[person].id, score: score, rank: 1 + counted.count { $0 > score })
    }
    let shown = among.filter { people[$0].isShown && !own.apart.contains($0) && people[$0].score(metric, period) > 0 }
    return (shown.map(rank).sorted { ($1.score, $1.account) < ($0.score, $0.account) }, rank(reader))
  }
}
