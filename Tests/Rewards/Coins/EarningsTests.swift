import ActivityContract
import ActivityService
import Foundation
import GRDB
import InProcess
import Operations
import RewardsContract
import Sampling
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Coins for steps")
struct EarningsTests {
  @Test("Coins for steps come from the activity service's day totals, each step once (E UC-03)")
  func fromSteps() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }, { try Rewards.service($0) }]) { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      try await services.hasReceived(.rewards, of: .activity)
      try await ana.walk("a", steps: 1250, until: "2026-11-21T09:00:00Z")
      try await ana.walk("a", steps: 1250, until: "2026-11-21T09:00:00Z")
      try await ana.walk("b", steps: 99, until: "2026-11-20T09:00:00Z")
      // Too late: seven days after its day.
      try await ana.walk("c", steps: 5000, until: "2026-11-14T09:00:00Z")
      try await services.hasReceived(.rewards, of: .activity)
      let balance = try await ana.send(GetBalance.self, .init())
      #expect(balance == Balance(coins: 13, carriedSteps: 49, stepsPerCoin: 100))
      let published = try await services.published(by: .rewards)
      #expect(published.map(\.name) == ["coins.earned", "coins.earned"])
      let earned = try published.map { try CoinsEarned.decode($0.body) }
      #expect(earned.map(\.coins) == [12, 1] && earned.map(\.balance) == [12, 13])
      let history = try await ana.send(ListTransfers.self, .init()).items
      #expect(history.map(\.id) == earned.reversed().map(\.transferID))
      #expect(history.map(\.coins) == [1, 12] && history.allSatisfy { $0.kind == .earned })
    }
  }

  @Test("Coins for steps stop at the day's maximum")
  func cap() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }, { try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await ana.walk("a", steps: 19_950, minutes: 300, until: "2026-11-21T09:00:00Z")
      try await ana.walk("b", steps: 30_000, minutes: 300, until: "2026-11-21T10:00:00Z")
      try await services.hasReceived(.rewards, of: .activity)
      #expect(try await ana.send(GetBalance.self, .init()).coins == 200)
    }
  }

  @Test("Correcting a day takes coins back as far as there are any, and later steps settle the rest")
  func corrections() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let account = AccountID()
      func count(_ steps: Int, revision: Int) async throws -> Balance {
        try await services.count([(0, steps, revision)], of: account)
        return try await services.balance(of: account)
      }
      #expect(try await count(1050, revision: 1) == Balance(coins: 10, carriedSteps: 50, stepsPerCoin: 100))
      #expect(try await count(700, revision: 2) == Balance(coins: 7, carriedSteps: 0, stepsPerCoin: 100))
      try await services.spend(6, of: account)
      #expect(try await count(250, revision: 3) == Balance(coins: 0, carriedSteps: -350, stepsPerCoin: 100))
      #expect(try await count(649, revision: 4) == Balance(coins: 0, carriedSteps: 49, stepsPerCoin: 100))
      #expect(try await count(700, revision: 5) == Balance(coins: 1, carriedSteps: 0, stepsPerCoin: 100))
      let published = try await services.published(by: .rewards)
      #expect(published.map(\.name) == ["coins.earned", "coins.corrected", "coins.corrected", "coins.earned"])
      let corrected = try CoinsCorrected.decode(published[2].body)
      #expect(corrected.coins == 1 && corrected.balance == 0)
    }
  }

  @Test("Coins for steps do not depend on the order and repetition of a day's states, in 300 generated histories")
  func orderDoesNotMatter() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      var random = SeededGenerator(11)
      for _ in 0..<300 {
        var states: [(daysAgo: Int, recordedDaysAgo: Int, steps: Int, revision: Int)] = []
        for daysAgo in 0..<4 {
          var recordedDaysAgo = daysAgo
          for revision in 1...Int.random(in: 1...4, using: &random) {
            states.append((daysAgo, recordedDaysAgo, Int.random(in: 0...25_000, using: &random), revision))
            recordedDaysAgo -= Int.random(in: 0...4, using: &random)
          }
        }
        let expected = model(states)
        for _ in 0..<3 {
          let account = AccountID()
          let shuffled = (states + states).shuffled(using: &random)
          try await services.store(of: .rewards).write { transaction in
            for state in shuffled {
              try CoinStore.count(
                event(account, [(state.daysAgo, state.steps, state.revision)], recordedDaysAgo: state.recordedDaysAgo),
                by: CoinFormula(), expiry: CoinExpiry(), transaction)
            }
          }
          let balance = try await services.balance(of: account)
          try #require(balance.coins * 100 + balance.carriedSteps == expected && balance.carriedSteps < 100, "\(shuffled)")
        }
      }
      try await services.ledgerIsSound()
    }
  }

  /// The slow and obvious way: of each day the last state that came in time, at most 20,000 steps of it.
  private func model(_ states: [(daysAgo: Int, recordedDaysAgo: Int, steps: Int, revision: Int)]) -> Int {
    Dictionary(grouping: states) { $0.daysAgo }.values.reduce(0) { sum, states in
      let inTime = states.filter { $0.daysAgo - $0.recordedDaysAgo < 7 }
      return sum + min(20_000, inTime.max { $0.revision < $1.revision }?.steps ?? 0)
    }
  }

  @Test(
    "Coins, lots, scores and events are the same for days in one event or in an event each, in 100 histories"
  )
  func daysTogether() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      var random = SeededGenerator(12)
      var accounts: [(together: AccountID, apart: AccountID)] = []
      for _ in 0..<100 {
        let (together, apart) = (AccountID(), AccountID())
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          // In two months. Of some days the state is older than one that was counted, and some come twice.
          let days = (0..<7).map { _ in
            (
              daysAgo: Int.random(in: -16 ... -10, using: &random), steps: Int.random(in: 0...2500, using: &random),
              revision: Int.random(in: 1...9, using: &random)
            )
          }
          let expiry = CoinExpiry(days: 3)
          try await services.count(days, recordedDaysAgo: -16, expiry, of: together)
          for day in days { try await services.count([day], recordedDaysAgo: -16, expiry, of: apart) }
          let spent = try await services.balance(of: together).coins / Int.random(in: 1...3, using: &random)
          if spent > 0 { for account in [together, apart] { try await services.spend(spent, of: account) } }
          services.clock.advance(seconds: Int.random(in: 0...2 * 86_400, using: &random))
        }
        let (rows, others) = (try await services.coinRows(of: together), try await services.coinRows(of: apart))
        try #require(rows == others && !rows.isEmpty, "\(rows.difference(from: others))")
        accounts.append((together, apart))
      }
      let published = try await services.publishedOfCoins()
      for (together, apart) in accounts { try #require(published[together] == published[apart]) }
      try await services.ledgerIsSound(hasCauses: false)
    }
  }

  @Test("A day in an event of many days takes about ten statements fewer than in an event of its own")
  func effort() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      func statements(_ events: [[(daysAgo: Int, steps: Int, revision: Int)]]) async throws -> Int {
        let (account, counter) = (AccountID(), Counter())
        try await services.count([(0, 100, 1)], of: account)
        try await services.store(of: .rewards).write { transaction in
          transaction.database.trace { if !"\($0)".hasPrefix("--") { _ = counter.next() } }
          defer { transaction.database.trace(options: []) }
          for days in events {
            try CoinStore.count(event(account, days), by: CoinFormula(), expiry: CoinExpiry(), transaction)
          }
        }
        return counter.next() - 1
      }
      let days = (1...6).map { (daysAgo: $0, steps: 1000, revision: 1) }
      let (together, apart) = (try await statements([days]), try await statements(days.map { [$0] }))
      #expect(together < apart - 5 * 9, "\(together) and \(apart)")
    }
  }

  @Test("A rewards service that begins from the snapshot has all coins for steps, late corrections included")
  func snapshot() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }, { try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await ana.walk("a", steps: 3000, until: "2026-11-21T09:00:00Z")
      try services.clock.set("2026-12-24T12:00:00.000Z")
      try await ana.walk("late", steps: 4000, until: "2026-11-21T10:00:00Z")
      try await ana.walk("b", steps: 500, until: "2026-12-24T10:00:00Z")
      try await services.hasReceived(.rewards, of: .activity)
      let received = try await ana.send(GetBalance.self, .init())
      #expect(received.coins == 35)
      // The same service anew: it knows only what the snapshot says.
      try await ServicesInProcess.running([{ try Rewards.service($0) }]) { fresh in
        let page = try await services.store(of: .activity).log.snapshot(after: nil)
        var events = page.events
        var key = page.nextKey
        while let next = key {
          let page = try await services.store(of: .activity).log.snapshot(after: next)
          events += page.events
          key = page.nextKey
        }
        let steps = try events.filter { $0.name == MovementDaysChanged.spec.name }.map { try MovementDaysChanged.decode($0.body) }
        try await fresh.store(of: .rewards).write { transaction in
          for event in steps { try CoinStore.count(event, by: CoinFormula(), expiry: CoinExpiry(), transaction) }
        }
        #expect(try await fresh.balance(of: ana.id) == received)
      }
    }
  }
}

/// An event of days so many days before today, recorded so many days before today.
private func event(
  _ account: AccountID, _ days: [(daysAgo: Int, steps: Int, revision: Int)], recordedDaysAgo: Int = 0
) -> MovementDaysChanged {
  let today = LocalDay(daysSinceEpoch: 20_778)
  return MovementDaysChanged(
    accountID: account, recordedDay: today.advanced(by: -recordedDaysAgo),
    days: days.map { .init(day: today.advanced(by: -$0.daysAgo), steps: $0.steps, earningSteps: $0.steps, revision: $0.revision) }
  )
}

extension ServicesInProcess {
  /// Lets an event of day totals take effect, as if it had been received.
  func count(
    _ days: [(daysAgo: Int, steps: Int, revision: Int)], recordedDaysAgo: Int = 0, _ expiry: CoinExpiry = CoinExpiry(),
    of account: AccountID
  ) async throws {
    try await store(of: .rewards).write { transaction in
      try CoinStore.count(
        event(account, days, recordedDaysAgo: recordedDaysAgo), by: CoinFormula(), expiry: expiry, transaction)
    }
  }

  /// What was published of each account's coins for steps, a text for each event.
  fileprivate func publishedOfCoins() async throws -> [AccountID: [String]] {
    var texts: [AccountID: [String]] = [:]
    for event in try await published(by: .rewards) {
      switch event.name {
      case CoinsEarned.spec.name:
        let earned = try CoinsEarned.decode(event.body)
        texts[earned.accountID, default: []].append("earned \(earned.coins), has \(earned.balance)")
      case CoinsCorrected.spec.name:
        let corrected = try CoinsCorrected.decode(event.body)
        texts[corrected.accountID, default: []].append("lost \(corrected.coins), has \(corrected.balance)")
      default: break
      }
    }
    return texts
  }

  /// All that is kept of an account's coins and scores, a text for each row.
  fileprivate func coinRows(of account: AccountID) async throws -> [String] {
    let person = "JOIN ledger_accounts a USING (ledger_account_id) WHERE account_id = ?"
    return try await store(of: .rewards).read { database in
      try [
        "SELECT balance FROM ledger_accounts WHERE account_id = ?",
        """
        SELECT t.kind, coins, day FROM transfers t JOIN ledger_accounts a ON a.ledger_account_id IN (debit_id, credit_id)
        WHERE a.account_id = ? ORDER BY number
        """,
        "SELECT day, rest, ends_at FROM coin_lots \(person) ORDER BY day",
        "SELECT day, coins FROM lot_moves JOIN coin_lots USING (lot_id) \(person) ORDER BY number, day",
        "SELECT day, steps, revision FROM counted_days WHERE account_id = ? ORDER BY day",
        "SELECT carried_steps FROM earnings WHERE account_id = ?",
        "SELECT day, steps, revision FROM leaderboard_days WHERE account_id = ? ORDER BY day",
        "SELECT period, steps, coins FROM leaderboard_scores WHERE account_id = ? ORDER BY period",
      ].flatMap { try Row.fetchAll(database, sql: $0, arguments: [account]).map(\.description) }
    }
  }

  func balance(of account: AccountID) async throws -> Balance {
    let now = clock.now
    return try await store(of: .rewards).read { database in
      Balance(
        coins: try LedgerStore.balance(of: account, at: now, in: database).coins,
        carriedSteps: try CoinStore.carriedSteps(of: account, in: database), stepsPerCoin: 100)
    }
  }

  /// Takes coins from an account, as redeeming an offer does.
  func spend(_ coins: Int, of account: AccountID) async throws {
    try await store(of: .rewards).write { transaction in
      let id = RedemptionID()
      _ = try LedgerStore.spend(
        coins, of: account, for: .redemption(id, title: "A test"), reference: "redemption/\(id)", transaction)
    }
  }

  /// Gives coins to a person, as steps of today do.
  func give(_ coins: Int, to person: Person) async throws {
    let revision = Int(Instant.now.milliseconds)
    try await count([(0, coins * 100, revision)], of: person.id)
  }

  /// - Parameter hasCauses: whether the test made no transfers without what they are for.
  func ledgerIsSound(hasCauses: Bool = true) async throws {
    let faults = try await store(of: .rewards).read { try LedgerCheck.faults(in: $0, naming: .max) }
    #expect(faults.filter { hasCauses || !$0.hasSuffix("has no cause") } == [])
  }
}

extension Person {
  /// Half an hour's steps, or more.
  func walk(_ id: String, steps: Int, minutes: Int = 30, until end: String) async throws {
    let end = try Instant(text: end)
    let output = try await send(
      RecordMovementSamples.self,
      .init(samples: [MovementSample(id: id, start: end.adding(seconds: -60 * minutes), end: end, steps: steps)]))
    #expect(output.rejected.isEmpty)
  }
}
