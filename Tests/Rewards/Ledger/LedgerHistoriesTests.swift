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

/// The slow and obvious ledger of one person: each coin is a thing of its own.
private struct CoinModel {
  struct Coin {
    let lot: Int
    let day: Int?
  }

  private(set) var coins: [Coin] = []
  /// When each lot ends, by its number from 0.
  private var ends: [Instant] = []
  /// The lots of each day.
  private var lotsOfDays: [Int: [Int]] = [:]
  /// What each spending took.
  private var spendings: [Int: [Coin]] = [:]

  /// What can be spent.
  var balance: Int { coins.count }

  /// What ends next, and when.
  var next: ExpiringCoins? {
    guard let end = coins.map({ ends[$0.lot] }).min(), end < .endOfTime else { return nil }
    return ExpiringCoins(coins: coins.count { ends[$0.lot] == end }, expiresAt: end)
  }

  /// What each lot holds that holds any.
  var rests: [Int] { Dictionary(grouping: coins, by: \.lot).sorted { $0.key < $1.key }.map(\.value.count) }

  mutating func pass(to now: Instant) { coins.removeAll { ends[$0.lot] <= now } }

  /// - Returns: the lot.
  @discardableResult
  mutating func earn(_ count: Int, day: Int?, at now: Instant, lasting seconds: Int) -> Int {
    var lot = day.flatMap { lotsOfDays[$0] }?.filter { ends[$0] > now }.max { ends[$0] < ends[$1] }
    if lot == nil {
      lot = ends.count
      ends.append(now.adding(seconds: seconds))
      if let day, let lot { lotsOfDays[day, default: []].append(lot) }
    }
    guard let lot else { return 0 }
    coins += (0..<count).map { _ in Coin(lot: lot, day: day) }
    return lot
  }

  /// Takes the coins of that day first, then those that end first.
  @discardableResult
  mutating func take(_ count: Int, day: Int? = nil) -> [Coin] {
    func rank(_ coin: Coin) -> (Int, Instant, Int) { (day != nil && coin.day == day ? 0 : 1, ends[coin.lot], coin.lot) }
    let sorted = coins.sorted { rank($0) < rank($1) }
    coins = Array(sorted.dropFirst(count))
    return Array(sorted.prefix(count))
  }

  mutating func spend(_ count: Int, as spending: Int) -> Bool {
    guard count <= balance else { return false }
    spendings[spending] = take(count)
    return true
  }

  mutating func refund(_ spending: Int, at now: Instant) {
    for coin in spendings.removeValue(forKey: spending) ?? [] {
      if ends[coin.lot] <= now { ends[coin.lot] = now.adding(seconds: 30 * 86_400) }
      coins.append(coin)
    }
  }

  mutating func takeBack(lot: Int) -> Int {
    let count = coins.count { $0.lot == lot }
    coins.removeAll { $0.lot == lot }
    return count
  }
}

/// One person's history, in the store and in the model.
private struct History {
  let account = AccountID()
  var model = CoinModel()
  var spendings: [(number: Int, transfer: TransferID)] = []
  var rewards: [(lot: Int, transfer: TransferID)] = []
  var count = 0
  /// Does one thing at random in both.
  mutating func step(_ expiry: CoinExpiry, _ random: inout SeededGenerator, _ transaction: Transaction) throws {
    let (now, lasting) = (transaction.now, (expiry.days ?? 0) * 86_400)
    // What has ended cannot be spent, whether it was taken away yet or not.
    model.pass(to: now)
    count += 1
    let reference = "test/\(account)/\(count)"
    let day = Int.random(in: 0...2, using: &random)
    let coins = Int.random(in: 1...9, using: &random)
    switch Int.random(in: 0...9, using: &random) {
    case 0...2:
      // Now and then several days come at once, and some have fewer steps than before.
      var transfers = try DayTransfers(of: account, for: Self.days, expiry: expiry, transaction)
      for number in 0..<Int.random(in: 1...3, using: &random) {
        let day = (day + number) % 3
        let change = number > 0 && Bool.random(using: &random) ? -coins : coins
        try move(change, day, "\(reference)/\(number)", by: &transfers) { $0.earn(coins, day: day, at: now, lasting: lasting) }
      }
    case 3...4:
      let isDone = model.spend(coins, as: count)
      do {
        let booking = try LedgerStore.spend(
          coins, of: account, for: .redemption(RedemptionID(), title: "A test"), reference: reference, transaction)
        guard isDone else { throw Difference("spent what was not there") }
        try same(booking, -coins)
        spendings.append((count, booking.transferID))
      } catch OfferFailure.notEnoughCoins {
        guard !isDone else { throw Difference("did not spend what was there") }
      }
    case 5:
      guard !spendings.isEmpty else { return }
      let spending = spendings.remove(at: Int.random(in: spendings.indices, using: &random))
      let was = model.balance
      model.refund(spending.number, at: now)
      guard let booking = try LedgerStore.refund(spending.transfer, reference: reference, transaction) else {
        throw Difference("refunded nothing")
      }
      try same(booking, model.balance - was)
    case 6:
      var transfers = try DayTransfers(of: account, for: Self.days, expiry: expiry, transaction)
      try move(-coins, day, reference, by: &transfers) { _ in }
    case 7:
      let lot = model.earn(coins, day: nil, at: now, lasting: lasting)
      let booking = try LedgerStore.reward(
        coins, to: account, for: .challenge("test", english: "A test", spanish: "Una prueba"), reference: reference,
        expiry: expiry, calendars: Self.calendars, transaction)
      try same(booking, coins)
      rewards.append((lot, booking.transferID))
    case 8:
      guard !rewards.isEmpty else { return }
      let reward = rewards.remove(at: Int.random(in: rewards.indices, using: &random))
      let taken = model.takeBack(lot: reward.lot)
      let booking = try LedgerStore.takeBackReward(
        reward.transfer, reference: reference, calendars: Self.calendars, transaction)
      guard (booking?.coins ?? 0) == taken else { throw Difference("took \(booking?.coins ?? 0) back, not \(taken)") }
      if let booking { try same(booking, -taken) }
    default:
      let taken = model.take(coins).count
      let booking = try LedgerStore.takeBack(coins, of: account, for: .reason("A test"), reference: reference, transaction)
      if let booking { try same(booking, -taken) }
    }
  }

  private static let calendars = AccountCalendars()
  private static let days = LocalDay(daysSinceEpoch: 20_000)...LocalDay(daysSinceEpoch: 20_002)

  /// Lets coins come for a day, as `earn` does in the model, or go back if negative.
  private mutating func move(
    _ coins: Int, _ day: Int, _ reference: String, by transfers: inout DayTransfers, earn: (inout CoinModel) -> Void
  ) throws {
    let booking = try transfers.move(coins, for: Self.days.lowerBound.advanced(by: day), reference: reference)
    guard coins < 0 else {
      earn(&model)
      guard let booking else { throw Difference("earned nothing") }
      return try same(booking, coins)
    }
    let taken = model.take(-coins, day: day).count
    guard (booking?.coins ?? 0) == taken else { throw Difference("took \(booking?.coins ?? 0) back, not \(taken)") }
    if let booking { try same(booking, -taken) }
  }

  private func same(_ booking: LedgerStore.Booking, _ change: Int) throws {
    guard booking.coins == abs(change), booking.balance == model.balance else {
      throw Difference("booked \(booking.coins) and had \(booking.balance), not \(abs(change)) and \(model.balance)")
    }
  }

  /// Compares what can be seen.
  mutating func compare(at now: Instant, in database: Database) throws {
    model.pass(to: now)
    let (coins, next) = try LedgerStore.balance(of: account, at: now, in: database)
    guard coins == model.balance, next == model.next else {
      throw Difference("has \(coins) and \(String(describing: next)), not \(model.balance) and \(String(describing: model.next))")
    }
    let rests = try Int.fetchAll(
      database,
      sql: """
        SELECT rest FROM coin_lots JOIN ledger_accounts USING (ledger_account_id)
        WHERE account_id = ? AND rest > 0 AND ends_at > ? ORDER BY lot_id
        """, arguments: [account, now])
    guard rests == model.rests else { throw Difference("lots hold \(rests), not \(model.rests)") }
  }

  struct Difference: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}

@Suite("Histories of the ledger")
struct LedgerHistoriesTests {
  @Test("The ledger equals a slow and simple one in 10,000 generated histories, coin by coin, and can be proved")
  func histories() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let store = services.store(of: .rewards)
      let expiry = CoinExpiry(days: 10)
      for batch in 0..<20 {
        var histories = (0..<500).map { _ in History() }
        var random = SeededGenerator(UInt64(batch + 1))
        for _ in 0..<12 {
          (histories, random) = try await store.write { [histories, random] transaction in
            var (histories, random) = (histories, random)
            for index in histories.indices { try histories[index].step(expiry, &random, transaction) }
            return (histories, random)
          }
          services.clock.advance(seconds: Int.random(in: 0...3 * 86_400, using: &random))
        }
        let now = services.clock.now
        let ended = histories
        try await store.read { database in
          for var history in ended { try history.compare(at: now, in: database) }
        }
      }
      try await services.ledgerIsSound(hasCauses: false)
    }
  }
}
