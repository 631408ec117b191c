import ActivityContract
import GRDB
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("The cost of a change of a day (REW-7)")
struct ChallengeEffortTests {
  @Test("A change of a day takes about a dozen indexed statements for all built-in challenges and achievements")
  func statements() async throws {
    try await ChallengeScene.running(try ChallengesFile.builtIn()) { services in
      let ana = try await services.register()
      try await services.hasReceived(.rewards, of: .identity)
      let subscriptions = ChallengeSubscriptions(engine: ChallengeHistoryTests.engine, formula: CoinFormula())
      // Two months behind, so that this week, this month and all time have their days.
      try await services.store(of: .rewards).write { transaction in
        for daysAgo in (0..<60).reversed() { try subscriptions.take(change(ana, daysAgo, 4000, 1), transaction) }
      }
      let counter = Counter()
      try await services.store(of: .rewards).write { transaction in
        transaction.database.trace { _ in _ = counter.next() }
        defer { transaction.database.trace(options: []) }
        for revision in 2..<102 { try subscriptions.take(change(ana, 0, 4000 + revision, revision), transaction) }
      }
      #expect(counter.next() - 1 <= 1200)
    }
  }

  private func change(_ person: Person, _ daysAgo: Int, _ steps: Int, _ revision: Int) -> MovementDaysChanged {
    let day = ChallengeScene.today.advanced(by: -daysAgo)
    return MovementDaysChanged(
      accountID: person.id, recordedDay: day,
      days: [
        .of(
          day, steps: steps, walking: Double(steps), running: Double(steps / 10), cycling: Double(steps / 5), revision: revision)
      ])
  }

  @Test("Queries of an account's days and runs of days read no other rows")
  func plans() async throws {
    try await ChallengeScene.running { services in
      try await services.store(of: .rewards).read { database in
        for sql in [
          "SELECT day FROM challenge_days WHERE account_id = x'00' AND day < 1 AND day >= 0 AND steps >= 1 ORDER BY day DESC",
          "SELECT sum(steps) FROM challenge_days WHERE account_id = x'00' AND day BETWEEN 0 AND 1",
          "SELECT count(*) FROM relations WHERE account_id = x'00' AND is_friend = 1 AND is_apart = 0",
          "SELECT challenge_id FROM challenges WHERE counted_through IS NOT NULL ORDER BY counted_through LIMIT 1",
        ] {
          let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
          #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") || $0.contains("challenges_to_count") }, "\(plan)")
          #expect(plan.allSatisfy { !$0.contains("TEMP B-TREE") }, "\(plan)")
        }
      }
    }
  }
}
