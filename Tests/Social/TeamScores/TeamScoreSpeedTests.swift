import Foundation
import GRDB
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

/// How long rank and list take among many teams, and by which indexes they are found.
@Suite("The speed of teams", .serialized)
struct TeamScoreSpeedTests {
  private static let period = TeamScoreRules.period(TeamMonth(.now))

  /// So many teams beside one, each with a score of its own, in all time and in the month: the worst there is for counting ranks.
  private func efforts(teams: Int) async throws -> [(name: String, effort: ReadingEffort)] {
    try await ServicesInProcess.running([{ Social.service($0) }]) { services in
      let ana = try await services.register()
      let own = try await ana.send(CreateTeam.self, .init(name: try TeamName(text: "Own"), usernames: []))
      let store = services.store(of: .social)
      for start in stride(from: 1, through: teams, by: 5000) {
        try await store.write { transaction in
          let arguments: StatementArguments = ["start": start, "end": min(start + 4999, teams), "period": Self.period]
          let numbers = "WITH RECURSIVE n (i) AS (SELECT :start UNION ALL SELECT i + 1 FROM n WHERE i < :end)"
          // The id is the number, which is the score too.
          let id = "CAST(printf('%016d', i) AS BLOB)"
          try transaction.database.execute(
            sql: """
              \(numbers) INSERT INTO teams (team_id, name, created_at) SELECT \(id), 'Team ' || i, 0 FROM n WHERE :period > 0
              """, arguments: arguments)
          try transaction.database.execute(
            sql: "\(numbers) UPDATE team_scores SET score = i FROM n WHERE team_id = \(id) AND period = 0 AND :period > 0",
            arguments: arguments)
          try transaction.database.execute(
            sql: "\(numbers) INSERT INTO team_scores (team_id, period, score) SELECT \(id), :period, i FROM n",
            arguments: arguments)
        }
      }
      #expect(try await store.rows("teams") == teams + 1)
      let team = own.id
      var efforts: [(name: String, effort: ReadingEffort)] = []
      for (name, period) in [("all time", 0), ("the month", Self.period)] {
        for score in [1, teams / 2, teams] {
          #expect(try await store.read { try TeamScoreStore.rank(of: score, in: period, $0) } == teams - score + 1)
        }
        let rank = try await store.effort { _ = try TeamScoreStore.rank(of: 1, in: period, $0) }
        efforts.append(("rank of \(name)", rank))
        let page = try await store.effort { database in
          let rows = try TeamScoreStore.rows(.behind, of: nil, in: period, limit: 51, database)
          _ = try TeamScoreStore.ranked(rows, in: period, own: team, database)
        }
        efforts.append(("first page of \(name)", page))
        let middle = TeamPosition(score: teams / 2, team: team)
        let neighbours = try await store.effort { database in
          for side in [TeamScoreStore.Side.before, .behind] {
            let rows = try TeamScoreStore.rows(side, of: middle, in: period, limit: 5, database)
            _ = try TeamScoreStore.ranked(rows, in: period, own: team, database)
          }
        }
        efforts.append(("neighbours of \(name)", neighbours))
      }
      let confirmed = try await store.write { transaction in
        let start = threadProcessorTime()
        try TeamScoreStore.confirmed(ID(), by: ana.id, participants: 2, transaction)
        return ReadingEffort(milliseconds: (threadProcessorTime() - start) / .milliseconds(1))
      }
      return efforts + [("counting a completion", confirmed)]
    }
  }

  @Test("Rank, first page and neighbours take at most 10 ms among 100,000 teams, with hardly more steps than among 10,000")
  func measured() async throws {
    let small = try await efforts(teams: 10_000)
    let large = try await efforts(teams: 100_000)
    for ((name, some), (_, many)) in zip(small, large) {
      print(String(format: "%8.2f ms %6d steps of ten  ", many.milliseconds, many.steps) + name)
      #expect(many.milliseconds <= max(10, 3 * some.milliseconds), "\(name)")
      // A rank goes through the bands, of which there are ten times as many then: some 400.
      #expect(many.steps <= some.steps + 400, "\(name): \(some.steps), \(many.steps)")
    }
  }

  @Test(
    "No statement of team scores scans a table, or sorts what it could read in order",
    arguments: [TeamScoreStore.rankSQL, TeamScoreStore.listSQL(.behind), TeamScoreStore.listSQL(.before)])
  func plans(sql: String) async throws {
    try await ServicesInProcess.running([{ Social.service($0) }]) { services in
      let plan = sql.replacing(/[?:][a-z0-9]+/, with: "1")
      let steps = try await services.store(of: .social).read { database in
        try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(plan)").map { $0["detail"] as String }
      }
      let scans = steps.filter { $0.hasPrefix("SCAN ") && $0 != "SCAN CONSTANT ROW" }
      #expect(!steps.isEmpty && scans.isEmpty && !steps.contains { $0.contains("TEMP B-TREE") }, "\(steps)")
    }
  }
}
