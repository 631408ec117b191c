import ActivityContract
import GRDB
import InProcess
import Operations
import RewardsContract
import Sampling
import ServiceKit
import Storage
import Testing

@testable import RewardsService

/// Random histories, compared with the slow and obvious way: look at every day, every week and every month anew.
@Suite("Random histories of challenges")
struct ChallengeHistoryTests {
  private static let first = ChallengeScene.today.advanced(by: -45)

  /// What a day has, as the last event that came in time says.
  private struct Day {
    var steps = 0
    var running = 0
    var revision = 0
  }

  private static let items: [ChallengesFile.Item] = [
    ChallengeScene.challenge("day", 6, coins: 3), ChallengeScene.challenge("week", .steps, .week, 25, coins: 5),
    ChallengeScene.challenge("month", .steps, .month, 60, coins: 7),
    ChallengeScene.challenge("ever", .steps, .ever, 110, coins: 11),
    ChallengeScene.challenge("row", .daysInARow, .ever, stepsPerDay: 4, 3, coins: 2),
    ChallengeScene.challenge("long row", .daysInARow, .ever, stepsPerDay: 2, 8),
    ChallengeScene.challenge("run", .runningMeters, .day, 8, coins: 1),
    ChallengeScene.challenge("run a week", .runningMeters, .week, 30),
    ChallengeScene.achievement("tiers", .steps, tiers: ChallengeTiers(bronze: 20, silver: 60, gold: 100)),
    ChallengeScene.achievement("rows", .daysInARow, stepsPerDay: 3, tiers: ChallengeTiers(bronze: 2, silver: 4, gold: 7)),
  ]

  /// Which levels are completed, by the days alone.
  private static func slow(_ days: [Int: Day]) -> Set<ChallengeLevel> {
    var found: Set<ChallengeLevel> = []
    for item in items {
      let (rule, terms) = (item.terms.rule, item.terms)
      let thresholds = terms.tiers.map { [$0.bronze, $0.silver, $0.gold] } ?? [terms.threshold ?? 0]
      let best = best(rule, days)
      for (index, threshold) in thresholds.enumerated() where best >= threshold {
        found.insert(ChallengeLevel(challenge: item.id, level: index + 1))
      }
    }
    return found
  }

  private static func best(_ rule: ChallengeRule, _ days: [Int: Day]) -> Int {
    if let stepsPerDay = rule.stepsPerDay {
      var best = 0
      for start in 0...50 {
        var length = 0
        while (days[start + length]?.steps ?? 0) >= stepsPerDay { length += 1 }
        best = max(best, length)
      }
      return best
    }
    var sums: [String: Int] = [:]
    for (offset, day) in days {
      let date = first.advanced(by: offset)
      var name = "ever"
      switch rule.window {
      case .day: name = date.description
      case .month: name = String(date.description.prefix(7))
      case .week:
        var monday = date
        while monday.weekday != 1 { monday = monday.advanced(by: -1) }
        name = monday.description
      case .range, .ever: break
      }
      sums[name, default: 0] += rule.metric == .steps ? day.steps : day.running
    }
    return sums.values.max() ?? 0
  }

  @Test(
    "Random histories complete what the days show, whatever is corrected or late, and pay coins once", arguments: 1...4)
  func histories(seed: Int) async throws {
    try await ChallengeScene.running(Self.items) { services in
      var random = SeededGenerator(UInt64(seed))
      for _ in 0..<25 {
        let person = try await services.register()
        try await services.hasReceived(.rewards, of: .identity)
        try await history(of: person.id, services, &random)
      }
      try await services.ledgerIsSound()
    }
  }

  private func history(of account: AccountID, _ services: ServicesInProcess, _ random: inout SeededGenerator) async throws {
    var days: [Int: Day] = [:]
    var events: [MovementDaysChanged] = []
    let store = services.store(of: .rewards)
    let subscriptions = ChallengeSubscriptions(engine: Self.engine, formula: CoinFormula())
    for number in 1...60 {
      if let old = events.randomElement(using: &random), Int.random(in: 0..<6, using: &random) == 0 {
        // It comes again, and changes nothing.
        try await store.write { try subscriptions.take(old, $0) }
      } else {
        let offset = Int.random(in: 0...45, using: &random)
        let late = Int.random(in: 0...9, using: &random)
        var event = MovementDaysChanged(accountID: account, recordedDay: Self.first.advanced(by: offset + late), days: [])
        for back in 0...min(offset, Int.random(in: 0...4, using: &random)) {
          let (steps, running) = (Int.random(in: 0...8, using: &random), Int.random(in: 0...10, using: &random))
          event.days.append(.of(Self.first.advanced(by: offset - back), steps: steps, running: Double(running), revision: number))
          if late + back < 7 { days[offset - back] = Day(steps: steps, running: running, revision: number) }
        }
        events.append(event)
        try await store.write { [event] in try subscriptions.take(event, $0) }
      }
      let completions = try await store.read { try ChallengeCompletionStore.all(of: account, in: $0) }
      let current = Set(completions.filter(\.value.isCurrent).map(\.key))
      try #require(current == Self.slow(days), "after \(number) events")
      // Nothing was spent, so what is paid stands for what is completed.
      let paid = Self.items.reduce(0) { sum, item in
        sum + (current.contains(ChallengeLevel(challenge: item.id, level: 1)) ? item.terms.coins ?? 0 : 0)
      }
      try #require(try await store.read { try $0.rewards(of: account) } == paid, "after \(number) events")
    }
    try await totals(of: account, days, store)
  }

  private func totals(of account: AccountID, _ days: [Int: Day], _ store: Store) async throws {
    let totals = try #require(try await store.read { try ChallengeFactStore.totals(of: account, in: $0) })
    #expect(totals.facts.steps == days.values.map(\.steps).reduce(0, +))
    #expect(totals.facts.running == days.values.map(\.running).reduce(0, +))
  }

  static let engine = ChallengeEngine(
    catalogues: ChallengeCatalogues(), calendars: AccountCalendars(),
    // All days of the histories are paid for.
    earningDays: 100, rewards: ChallengeRewards(expiry: CoinExpiry(Settings([:])), calendars: AccountCalendars()))
}

extension Database {
  /// The coins that an account was paid for challenges and has not had to give back.
  fileprivate func rewards(of account: AccountID) throws -> Int {
    try Int.fetchOne(
      self,
      sql: """
        SELECT coalesce(sum(CASE WHEN credit_id = ledger_account_id THEN coins ELSE -coins END), 0)
        FROM transfers JOIN ledger_accounts ON ledger_account_id IN (credit_id, debit_id)
        WHERE account_id = ? AND transfers.kind IN ('challengeReward', 'challengeRewardReversed')
        """, arguments: [account]) ?? 0
  }
}
