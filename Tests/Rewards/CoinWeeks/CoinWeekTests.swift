import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("An account's coins in a week (NOT-3)")
struct CoinWeekTests {
  @Test("A week counts its earned and spent coins less corrections, and nothing before or after it")
  func week() async throws {
    try await ServicesInProcess.ranking(at: "2026-11-14T12:00:00.000Z") { services in
      let ana = try await services.competitor(steps: 5000, on: "2026-11-14")
      let (from, until) = (try Instant(text: "2026-11-16T00:00:00.000Z"), try Instant(text: "2026-11-23T00:00:00.000Z"))
      func sums() async throws -> [Int] {
        try await services.store(of: .rewards).read { database in
          let sums = try LedgerStore.sums(of: ana.id, from: from, until: until, in: database)
          return [sums.earned, sums.spent]
        }
      }
      #expect(try await sums() == [0, 0])
      try services.clock.set("2026-11-17T12:00:00.000Z")
      try await services.walk(ana, 3000, on: "2026-11-17")
      let offer = try await services.publish(cost: 12)
      _ = try await ana.send(RedeemOffer.self, .init(offerID: offer.id), key: "once")
      #expect(try await sums() == [30, 12])
      // A correction takes coins back.
      try services.clock.set("2026-11-18T12:00:00.000Z")
      try await services.walk(ana, 1000, on: "2026-11-17", recordedOn: "2026-11-18")
      #expect(try await sums() == [10, 12])
      try services.clock.set("2026-11-23T00:00:00.000Z")
      try await services.walk(ana, 9000, on: "2026-11-23")
      #expect(try await sums() == [10, 12])
      let input = GetCoinWeeks.Input(times: [CoinTime(accountID: ana.id, from: from, until: until)])
      #expect(try await ana.failure(GetCoinWeeks.self, input) != nil)
    }
  }
}
