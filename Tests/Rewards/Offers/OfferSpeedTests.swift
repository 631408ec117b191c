import GRDB
import InProcess
import Operations
import RewardsContract
import Storage
import Testing

@testable import RewardsService
@testable import ServiceKit

@Suite("The speed of the list of offers (REW-4)")
struct OfferSpeedTests {
  @Test(
    "A page of offers costs the same among 20,000 offers as among 1,000, at any depth and in any order"
  )
  func constant() async throws {
    let (few, many) = (try await efforts(1000), try await efforts(20_000))
    for (one, other) in zip(few, many) {
      #expect(Double(other.steps) < Double(one.steps) * 1.5, "\(one.name): \(one.steps) and \(other.steps)")
    }
  }

  private func efforts(_ count: Int) async throws -> [(name: String, steps: Int)] {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let shop = try await services.shop()
      let (store, now) = (services.store(of: .rewards), services.clock.now)
      try await store.write { transaction in
        let partner = try PartnerStore.required(shop.id, in: transaction.database)
        for number in 0..<count { try OfferSpeedTests.insert(number, partner.id, transaction) }
      }
      var found: [(name: String, steps: Int)] = []
      for order in [OfferOrder.end, .cost, .newest] {
        let query = OfferQuery(.init(sort: order), from: nil, balance: 0, now: now)
        for depth in [0, 10] {
          // The cursor of a page is its key here, in clear.
          var last: String?
          for _ in 0..<depth {
            let key = last
            last = try await store.read { try query.page(OfferSpeedTests.request(key), in: $0).nextCursor?.description }
              .flatMap(OfferSpeedTests.key)
          }
          let key = last
          let effort = try await store.effort { _ = try query.page(OfferSpeedTests.request(key), in: $0) }
          found.append(("\(order) \(depth)", effort.steps))
        }
      }
      return found
    }
  }

  private static func request(_ key: String?) -> PageRequest {
    PageRequest(limit: 50, lastKey: key) { text in
      do throws(FieldRule) {
        return try PageCursor(text: Base64URL.encode(Array(text.utf8)))
      } catch {
        preconditionFailure("a short text")
      }
    }
  }

  private static func key(_ cursor: String) -> String? {
    Base64URL.decode(cursor).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func insert(_ number: Int, _ partner: PartnerID, _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      INSERT INTO offers (offer_id, partner_id, title, reward, partner_name, cost_coins, stock, remaining, valid_from, valid_until,
        created_at, search_text)
      VALUES (?, ?, 'x', 'x', 'x', ?, 5, 5, 0, ?, ?, 'x')
      """, .id(OfferID()), .id(partner), .number(1 + number * 7919 % 1000),
      .instant(transaction.now.adding(seconds: 1000 + number * 31 % 100_000)), .instant(transaction.now.adding(seconds: -number)))
  }
}
