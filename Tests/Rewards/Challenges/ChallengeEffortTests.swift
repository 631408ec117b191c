import ActivityContract
import GRDB
import InProcess
import Logging
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

  @Test("The deletion of an activity takes a statement for each eight weeks of entries, and leaves those of other activities")
  func deletion() async throws {
    try await ChallengeScene.running { services in
      func statements(days: Int) async throws -> Int {
        let (account, gone, kept) = (AccountID(), ActivityID(), ActivityID())
        let ofKept = (0..<days).reversed().filter { $0 % 3 == 0 }.map { ChallengeScene.today.advanced(by: -$0) }
        let ofGone = (0..<days).filter { $0 % 5 != 0 }.map { ChallengeScene.today.advanced(by: -$0) }
        let counter = Counter()
        let (total, left) = try await services.store(of: .rewards).write { transaction in
          let database = transaction.database
          for (activity, days) in [(gone, ofGone), (kept, ofKept)] {
            for day in days {
              let change = try ChallengeFactStore.noteEntry(activity, on: day, isDone: true, of: account, in: database)
              if let change { _ = try ChallengeFactStore.add([change], of: account, in: database) }
            }
          }
          database.trace { _ in _ = counter.next() }
          try ChallengeFactStore.removeActivity(gone, of: account, in: database)
          database.trace(options: [])
          return (
            try ChallengeFactStore.totals(of: account, in: database)?.facts,
            try ChallengeFactStore.amounts(of: .entries, account, in: database)
          )
        }
        #expect(total == DayFacts(entries: ofKept.count))
        #expect(left == ofKept.map { DayAmount(day: $0, amount: 1) })
        return counter.next() - 1
      }
      let (few, many) = (try await statements(days: 2 * 56), try await statements(days: 20 * 56))
      #expect(many <= few + 20, "\(few) and \(many)")
    }
  }

  @Test("A new definition counts accounts a few at a time, and goes on after the last")
  func steps() async throws {
    try await ChallengeScene.running { services in
      let store = services.store(of: .rewards)
      let worker = ChallengeWorker(
        published: [], engine: ChallengeHistoryTests.engine, signal: WakeSignal(), store: store,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let accounts = (0..<5).map { _ in AccountID() }.sorted()
      let (challenge, terms) = (ChallengeID(), ChallengeScene.challenge("Walk", 1).terms)
      let through = try await store.write { transaction in
        let database = transaction.database
        for account in accounts { try ChallengeFactStore.ensureTotals(of: account, in: database) }
        _ = try ChallengeDefinitionStore.add(challenge, terms, transaction)
        var through: [AccountID?] = []
        while try worker.step(atMost: 2, transaction) {
          through.append(try ChallengeDefinitionStore.uncounted(in: database)?.through)
        }
        return through
      }
      #expect(through == [accounts[1], accounts[3], nil])
    }
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
