import GRDB
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Lots of coins")
struct CoinLotTests {
  private let expiring = ["racha.coins.expireAfterDays": "10", "racha.coins.expiryNoticeDays": "3"]

  /// Gives coins for a day of steps.
  private func earn(
    _ coins: Int, _ day: Int32, _ account: AccountID, _ services: ServicesInProcess, days: Int? = 10
  ) async throws {
    try await services.store(of: .rewards).write { transaction in
      let day = LocalDay(daysSinceEpoch: 20_000 + day)
      var transfers = try DayTransfers(of: account, for: day...day, expiry: CoinExpiry(days: days), transaction)
      try transfers.move(coins, for: day, reference: "test/\(TransferID())")
    }
  }

  private func spend(_ coins: Int, _ account: AccountID, _ services: ServicesInProcess) async throws -> TransferID {
    try await services.store(of: .rewards).write { transaction in
      let id = RedemptionID()
      return try LedgerStore.spend(
        coins, of: account, for: .redemption(id, title: "Coffee"), reference: "redemption/\(id)", transaction
      ).transferID
    }
  }

  /// What is left of each lot, in the order of their days.
  private func rests(_ account: AccountID, _ services: ServicesInProcess) async throws -> [Int] {
    try await services.store(of: .rewards).read {
      try Int.fetchAll(
        $0,
        sql: """
          SELECT rest FROM coin_lots JOIN ledger_accounts USING (ledger_account_id) WHERE account_id = ? ORDER BY day, lot_id
          """, arguments: [account])
    }
  }

  @Test("Spending uses the lot that expires first, and coins without expiry last")
  func order() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await earn(5, 0, ana.id, services, days: nil)
      try await earn(5, 1, ana.id, services, days: 20)
      try await earn(5, 2, ana.id, services, days: 10)
      _ = try await spend(7, ana.id, services)
      #expect(try await rests(ana.id, services) == [5, 3, 0])
      let balance = try await ana.send(GetBalance.self, .init())
      #expect(balance.coins == 8)
      #expect(balance.nextExpiry == ExpiringCoins(coins: 3, expiresAt: services.clock.now.adding(seconds: 20 * 86_400)))
      _ = try await spend(4, ana.id, services)
      #expect(try await rests(ana.id, services) == [4, 0, 0])
      #expect(try await ana.send(GetBalance.self, .init()).nextExpiry == nil)
      try await services.ledgerIsSound(hasCauses: false)
    }
  }

  @Test("A refund returns to the same lots, and one that has expired gets 30 more days")
  func refund() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await earn(5, 0, ana.id, services)
      services.clock.advance(days: 5)
      try await earn(5, 1, ana.id, services)
      let spending = try await spend(7, ana.id, services)
      #expect(try await rests(ana.id, services) == [0, 3])
      services.clock.advance(days: 6)
      let refunded = try await services.store(of: .rewards).write {
        try LedgerStore.refund(spending, reference: "void", $0)
      }
      #expect(refunded?.coins == 7 && refunded?.balance == 10)
      #expect(try await rests(ana.id, services) == [5, 5])
      let balance = try await ana.send(GetBalance.self, .init())
      #expect(balance.nextExpiry == ExpiringCoins(coins: 5, expiresAt: services.clock.now.adding(seconds: 4 * 86_400)))
      let history = try await ana.send(ListTransfers.self, .init()).items
      #expect(history.map(\.kind) == [.refunded, .redeemed, .earned, .earned])
      #expect(history[0].title == "Coffee" && history[1].title == "Coffee" && history[1].lot == nil)
      #expect(history[2].day == LocalDay(daysSinceEpoch: 20_001) && history[2].lot?.remaining == 5)
      #expect(history[3].lot == .init(remaining: 5, expiresAt: services.clock.now.adding(seconds: 30 * 86_400)))
      // No refund twice.
      await #expect(throws: DatabaseError.self) {
        try await services.store(of: .rewards).write { _ = try LedgerStore.refund(spending, reference: "void", $0) }
      }
      try await services.ledgerIsSound(hasCauses: false)
    }
  }

  @Test("A correction uses the lot that it corrects, then others, and never more than is left")
  func correction() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      let account = ana.id
      try await services.count([(2, 500, 1)], of: account)
      try await services.count([(1, 500, 1)], of: account)
      try await services.count([(0, 500, 1)], of: account)
      _ = try await spend(3, account, services)
      #expect(try await rests(account, services) == [2, 5, 5])
      // The day before yesterday's two, and of others the one that ends first.
      try await services.count([(2, 100, 2)], of: account)
      #expect(try await rests(account, services) == [0, 3, 5])
      try await services.count([(1, 0, 2), (0, 0, 2)], of: account)
      let balance = try await services.balance(of: account)
      #expect(balance.coins == 0 && balance.carriedSteps == -200)
      let corrected = try await ana.send(ListTransfers.self, .init()).items.filter { $0.kind == .corrected }
      #expect(corrected.map(\.coins) == [-3, -5, -4])
      #expect(corrected.map { $0.day?.daysSinceEpoch } == [20_778, 20_777, 20_776])
      try await services.ledgerIsSound(hasCauses: false)
    }
  }

  @Test("With a configured expiry, coins are announced once in advance, and then can no longer be spent and are removed")
  func expiry() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }], settings: expiring) { services in
      let ana = try await services.register()
      let store = services.store(of: .rewards)
      let expiry = CoinExpiry(days: 10, noticeDays: 3)
      let worker = CoinExpiryWorker(store: store, expiry: expiry)
      try await earn(5, 0, ana.id, services)
      services.clock.advance(days: 4)
      try await earn(4, 1, ana.id, services)
      _ = try await spend(2, ana.id, services)
      try await worker.sweep()
      #expect(
        try await services.published(by: .rewards).map(\.name).filter { $0.hasPrefix("coins.e") && $0 != "coins.earned" } == [])
      services.clock.advance(days: 3)
      for _ in 0..<2 { try await worker.sweep() }
      let ending = try await services.published(by: .rewards).filter { $0.name == "coins.expiring" }
      #expect(ending.count == 1)
      let notice = try CoinsExpiring.decode(try #require(ending.first).body)
      #expect(notice.coins == 3 && notice.endsAt == services.clock.now.adding(seconds: 3 * 86_400))
      services.clock.advance(days: 3)
      // Before any worker looks.
      #expect(try await ana.send(GetBalance.self, .init()).coins == 4)
      await #expect(throws: OfferFailure.notEnoughCoins) { try await spend(5, ana.id, services) }
      try await worker.sweep()
      let expired = try await services.published(by: .rewards).filter { $0.name == "coins.expired" }
      #expect(try expired.map { try CoinsExpired.decode($0.body).coins } == [3])
      let history = try await ana.send(ListTransfers.self, .init()).items
      #expect(history.first?.kind == .expired && history.first?.coins == -3)
      #expect(history.first?.day == LocalDay(daysSinceEpoch: 20_000))
      try await services.ledgerIsSound(hasCauses: false)
    }
  }

  @Test("Coins never expire unless configured")
  func forEver() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await services.give(5, to: ana)
      services.clock.advance(days: 30_000)
      try await CoinExpiryWorker(store: services.store(of: .rewards), expiry: CoinExpiry()).sweep()
      #expect(try await ana.send(GetBalance.self, .init()).coins == 5)
    }
  }

  @Test("A challenge's reward is taken back as far as it is left, and no other coins")
  func reward() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register(language: .spanish)
      let store = services.store(of: .rewards)
      try await earn(5, 0, ana.id, services)
      let reward = try await store.write { transaction in
        try LedgerStore.reward(
          10, to: ana.id, for: .challenge("walker", english: "Walker", spanish: "Caminante"), reference: "challenge/1",
          expiry: CoinExpiry(days: 9), calendars: AccountCalendars(), transaction
        ).transferID
      }
      _ = try await spend(4, ana.id, services)
      #expect(try await store.read { try LedgerStore.rest(of: reward, in: $0) } == 6)
      func takeBack(_ reference: String) async throws -> LedgerStore.Booking? {
        try await store.write { transaction in
          try LedgerStore.takeBackReward(reward, reference: reference, calendars: AccountCalendars(), transaction)
        }
      }
      let taken = try await takeBack("challenge/1/back")
      #expect(taken?.coins == 6 && taken?.balance == 5)
      #expect(try await takeBack("challenge/1/again") == nil)
      let history = try await ana.send(ListTransfers.self, .init()).items
      #expect(history.map(\.title) == ["Caminante", "Coffee", "Caminante", nil])
      #expect(history.map(\.coins) == [-6, -4, 10, 5])
      try await services.ledgerIsSound(hasCauses: false)
    }
  }

  @Test("Each kind of transfer is published to a subscriber without history in its original form")
  func snapshot() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      let store = services.store(of: .rewards)
      try await earn(9, 0, ana.id, services)
      try await store.write { transaction in
        let calendars = AccountCalendars()
        let reward = try LedgerStore.reward(
          10, to: ana.id, for: .challenge("walker", english: "Walker", spanish: "Caminante"), reference: "challenge/1",
          expiry: CoinExpiry(days: 1), calendars: calendars, transaction)
        _ = try LedgerStore.takeBackReward(
          reward.transferID, reference: "challenge/1/back", calendars: calendars, transaction)
        _ = try LedgerStore.grant(
          3, to: ana.id, for: .reason("A test"), reference: "adjustment/1", expiry: CoinExpiry(days: 1), transaction)
      }
      let offer = try await services.publish(cost: 5)
      _ = try await ana.send(RedeemOffer.self, .init(offerID: offer.id))
      let spending = try await store.read {
        try #require(try TransferID.fetchOne($0, sql: "SELECT transfer_id FROM transfers WHERE kind = 'redeemed'"))
      }
      services.clock.advance(days: 11)
      try await store.write { _ = try LedgerStore.refund(spending, reference: "void", $0) }
      let published = try await services.published(by: .rewards).filter { $0.name != "coins.expiring" }.map {
        "\($0.name) \(String(decoding: $0.body, as: UTF8.self))"
      }
      #expect(
        published.map { $0.prefix { $0 != " " } } == [
          "coins.earned", "coins.rewarded", "coins.rewardReversed", "coins.adjusted", "offers.redeemed", "coins.expired",
          "coins.refunded",
        ])
      let snapshot = try await services.snapshot(of: .rewards).map { "\($0.name) \(String(decoding: $0.body, as: UTF8.self))" }
      #expect(snapshot == published)
    }
  }
}
