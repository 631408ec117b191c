import GRDB
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("The speed of leaderboards", .serialized)
struct LeaderboardSpeedTests {
  /// So many people beside one, each with a score of its own: the worst there is for counting ranks.
  private func efforts(people: Int) async throws -> [(name: String, effort: ReadingEffort)] {
    try await ServicesInProcess.ranking { services in
      let ana = try await services.competitor(steps: 100)
      let store = services.store(of: .rewards)
      for start in stride(from: 1, through: people, by: 5000) {
        try await store.write { transaction in
          let arguments: StatementArguments = ["start": start, "end": min(start + 4999, people)]
          let numbers = "WITH RECURSIVE n (i) AS (SELECT :start UNION ALL SELECT i + 1 FROM n WHERE i < :end)"
          let id = "CAST(printf('%016d', i) AS BLOB)"
          try transaction.database.execute(
            sql: """
              \(numbers) INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, revision)
              SELECT \(id), 'number' || i, 'UTC', 0, 'en', 1, 1 FROM n
              """, arguments: arguments)
          try transaction.database.execute(
            sql: """
              \(numbers) INSERT INTO leaderboard_scores (account_id, period, steps, coins, is_shown, is_counted)
              SELECT \(id), 202611, i * 7, i, 1, 1 FROM n
              """, arguments: arguments)
        }
      }
      let period = 202_611
      for score in [1, people / 2, people] {
        let above = try await store.read {
          try LeaderboardStore.people(with: score + 1..<LeaderboardRules.end, by: .coins, in: period, $0)
        }
        // One more, who has a coin.
        #expect(above == people - score)
      }
      var efforts: [(name: String, effort: ReadingEffort)] = []
      for metric in LeaderboardMetric.allCases {
        let view = LeaderboardView(reader: ana.id, metric: metric, period: period, isOver: false)
        for (name, score) in [("first", nil), ("middle", people * 7 / 2), ("last", 100)] {
          let position = score.map { LeaderboardPosition(score: $0, account: ana.id) }
          let effort = try await store.effort { database in
            let board = try EveryoneLeaderboard(view, database)
            for side in [LeaderboardSide.behind, .before] {
              let positions = try board.positions(side, of: position, limit: 51)
              let scores = positions.map(\.score)
              _ = try board.ranks(of: side == .behind ? scores : scores.reversed())
            }
          }
          efforts.append(("\(name) of \(metric)", effort))
        }
      }
      return efforts
    }
  }

  @Test("Pages and ranks of a leaderboard take at most 10 ms among 100,000, with hardly more steps than among 10,000")
  func measured() async throws {
    let small = try await efforts(people: 10_000)
    let large = try await efforts(people: 100_000)
    for ((name, some), (_, many)) in zip(small, large) {
      print("\(many.milliseconds) ms, \(many.steps) tens of steps, \(some.steps) among fewer: \(name)")
      #expect(many.milliseconds <= max(10, 3 * some.milliseconds), "\(name)")
      // A rank goes through at most 255 buckets of each level.
      #expect(many.steps <= some.steps + 300, "\(name): \(some.steps), \(many.steps)")
    }
  }

  private static var statements: [String] {
    LeaderboardMetric.allCases.flatMap { metric in
      [
        LeaderboardStore.listSQL(metric, .behind), LeaderboardStore.listSQL(metric, .before),
        LeaderboardStore.hiddenSQL(metric), LeaderboardStore.groupSQL(metric, people: LeaderboardPeopleStore.friends),
        LeaderboardStore.groupSQL(metric, people: TeamMemberStore.teammates),
      ]
    } + [LeaderboardStore.countSQL]
  }

  @Test("No statement of leaderboards scans a table, or sorts what it could read in order", arguments: statements)
  func plans(sql: String) async throws {
    try await ServicesInProcess.ranking { services in
      let plan = sql.replacing(/\?\d*/, with: "1")
      let steps = try await services.store(of: .rewards).read { database in
        try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(plan)").map { $0["detail"] as String }
      }
      // The people of a group, that were looked up before, are gone through.
      let scans = steps.filter { $0.hasPrefix("SCAN ") && !["SCAN CONSTANT ROW", "SCAN p"].contains($0) }
      #expect(!steps.isEmpty && scans.isEmpty && !steps.contains { $0.contains("FOR ORDER BY") }, "\(steps)")
    }
  }
}
