import Foundation
import GRDB
import GRDBSQLite
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
  /// What the store does: the shortest of some tries, in milliseconds of the processor, and how many tens of steps SQLite's machine takes.
  private struct Effort {
    var milliseconds = Double.infinity
    var steps = 0
  }

  /// What the thread has had of the processor, so that what else the machine does is left out.
  private static var processorMilliseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }

  private func effort(_ store: Store, _ body: @escaping @Sendable (Database) throws -> Void) async throws -> Effort {
    try await store.read { database in
      var effort = Effort()
      for _ in 0..<5 {
        let start = Self.processorMilliseconds
        try body(database)
        effort.milliseconds = min(effort.milliseconds, Self.processorMilliseconds - start)
      }
      try withUnsafeMutablePointer(to: &effort.steps) { steps in
        sqlite3_progress_handler(
          database.sqliteConnection, 10,
          { steps in
            steps?.assumingMemoryBound(to: Int.self).pointee += 1
            return 0
          }, steps)
        defer { sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil) }
        try body(database)
      }
      return effort
    }
  }

  private static let period = TeamScoreRules.period(TeamMonth(.now))

  /// So many teams beside one, each with a score of its own, in all time and in the month: the worst there is for counting ranks.
  private func efforts(teams: Int) async throws -> [(name: String, effort: Effort)] {
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
      var efforts: [(name: String, effort: Effort)] = []
      for (name, period) in [("all time", 0), ("the month", Self.period)] {
        for score in [1, teams / 2, teams] {
          #expect(try await store.read { try TeamScoreStore.rank(of: score, in: period, $0) } == teams - score + 1)
        }
        let rank = try await effort(store) { _ = try TeamScoreStore.rank(of: 1, in: period, $0) }
        efforts.append(("rank of \(name)", rank))
        let page = try await effort(store) { database in
          let rows = try TeamScoreStore.rows(.behind, of: nil, in: period, limit: 51, database)
          _ = try TeamScoreStore.ranked(rows, in: period, own: team, database)
        }
        efforts.append(("first page of \(name)", page))
        let middle = TeamPosition(score: teams / 2, team: team)
        let neighbours = try await effort(store) { database in
          for side in [TeamScoreStore.Side.before, .behind] {
            let rows = try TeamScoreStore.rows(side, of: middle, in: period, limit: 5, database)
            _ = try TeamScoreStore.ranked(rows, in: period, own: team, database)
          }
        }
        efforts.append(("neighbours of \(name)", neighbours))
      }
      let confirmed = try await store.write { transaction in
        let start = Self.processorMilliseconds
        try TeamScoreStore.confirmed(ID(), by: ana.id, participants: 2, transaction)
        return Effort(milliseconds: Self.processorMilliseconds - start)
      }
      return efforts + [("counting a completion", confirmed)]
    }
  }

  @Test("Rank, first page and neighbours take at most 10 ms among 100,000 teams, and hardly more steps than among 10,000")
  func measured() async throws {
    let small = try await efforts(teams: 10_000)
    let large = try await efforts(teams: 100_000)
    for ((name, some), (_, many)) in zip(small, large) {
      print(String(format: "%8.2f ms %6d steps of ten  ", many.milliseconds, many.steps) + name)
      #expect(many.milliseconds <= 10, "\(name)")
      // A rank goes through the bands, of which there are ten times as many then: some 400.
      #expect(many.steps <= some.steps + 400, "\(name): \(some.steps), \(many.steps)")
    }
  }

  @Test(
    "No statement for team scores looks through a table, or sorts what it could read in order",
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
