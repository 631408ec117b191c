import InProcess
import Operations
import RewardsContract
import RewardsService
import Sampling
import ServiceKit
import Testing

@Suite("Redeeming offers")
struct RedemptionsTests {
  @Test("Redeeming an offer gives a code for coins and reports the balance (E UC-04)")
  func redeem() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      let ben = try await services.register()
      try await services.give(30, to: ana)
      let offer = try await services.publish(cost: 20, stock: 2)
      let redemption = try await ana.send(RedeemOffer.self, .init(offerID: offer.id))
      #expect(redemption.coins == 20 && redemption.title == offer.title && redemption.redeemedAt == services.clock.now)
      let code = try #require(redemption.code).description
      #expect(code.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}/) != nil)
      #expect(try await ana.send(GetBalance.self, .init()).coins == 10)
      #expect(try await ana.send(GetOffer.self, .init(offerID: offer.id)).remaining == 1)
      #expect(try await ana.send(ListRedemptions.self, .init()).items == [redemption])
      #expect(try await ben.send(ListRedemptions.self, .init()).items.isEmpty)
      let published = try #require(try await services.published(by: .rewards).last)
      let event = try OfferRedeemed.decode(published.body)
      #expect(event.redemptionID == redemption.id && event.balance == 10 && event.accountID == ana.id)
      #expect(!String(decoding: published.body, as: UTF8.self).contains(code))
      try await services.ledgerIsSound()
    }
  }

  @Test("Redeeming an offer without coins, stock, time or verification is refused and changes nothing")
  func refused() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await services.give(30, to: ana)
      func failure(_ offer: Offer, as person: Person) async throws -> String? {
        try await person.failure(RedeemOffer.self, .init(offerID: offer.id))
      }
      let dear = try await services.publish(cost: 31)
      #expect(try await failure(dear, as: ana) == "not_enough_coins")
      let over = try await services.publish(cost: 1, until: "2026-11-21T12:00:00.000Z")
      #expect(try await failure(over, as: ana) == "offer_not_valid")
      let later = try await services.publish(cost: 1, from: "2026-11-21T12:00:00.001Z")
      #expect(try await failure(later, as: ana) == "offer_not_valid")
      let last = try await services.publish(cost: 1, stock: 1)
      #expect(try await failure(last, as: ana) == nil)
      #expect(try await failure(last, as: ana) == "offer_sold_out")
      #expect(try await ana.failure(RedeemOffer.self, .init(offerID: OfferID())) == "offer_not_found")
      let stranger = try await services.register(isVerified: false)
      #expect(try await failure(dear, as: stranger) == "verification_required")
      #expect(try await ana.send(GetBalance.self, .init()).coins == 29)
      #expect(try await ana.send(ListRedemptions.self, .init()).items.count == 1)
    }
  }

  @Test("Redeeming offers never oversells an offer or overdraws an account, however many try concurrently")
  func races() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      // Ten people with coins for three each; twenty pieces.
      let offer = try await services.publish(cost: 10, stock: 20)
      var people: [Person] = []
      for _ in 0..<10 {
        let person = try await services.register()
        try await services.give(35, to: person)
        people.append(person)
      }
      let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
        for person in people {
          for _ in 0..<10 {
            group.addTask { try await person.failure(RedeemOffer.self, .init(offerID: offer.id)) ?? "redeemed" }
          }
        }
        return try await group.reduce(into: [String: Int]()) { outcomes, outcome in outcomes[outcome, default: 0] += 1 }
      }
      #expect(outcomes["redeemed"] == 20)
      #expect(Set(outcomes.keys).isSubset(of: ["redeemed", "offer_sold_out", "not_enough_coins"]))
      var codes: Set<RedemptionCode> = []
      var coins = 0
      for person in people {
        let redemptions = try await person.send(ListRedemptions.self, .init()).items
        #expect(redemptions.count <= 3)
        codes.formUnion(redemptions.compactMap(\.code))
        coins += try await person.send(GetBalance.self, .init()).coins
      }
      #expect(codes.count == 20 && coins == 350 - 200)
      #expect(try await people[0].send(GetOffer.self, .init(offerID: offer.id)).remaining == 0)
      try await services.ledgerIsSound()
    }
  }

  @Test("Redeeming an offer repeated with its idempotency key gives the same code once, also concurrently")
  func idempotent() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await services.give(100, to: ana)
      let offer = try await services.publish(cost: 10, stock: 5)
      let codes = try await withThrowingTaskGroup(of: RedemptionCode?.self) { group in
        for _ in 0..<20 {
          group.addTask {
            do {
              return try await ana.send(RedeemOffer.self, .init(offerID: offer.id), key: "one").code
            } catch let failure as Failure where failure.code == "still_running" {
              return nil
            }
          }
        }
        return try await group.reduce(into: Set<RedemptionCode>()) { codes, code in if let code { codes.insert(code) } }
      }
      #expect(codes.count == 1)
      #expect(try await ana.send(GetBalance.self, .init()).coins == 90)
    }
  }

  @Test(
    "Redeeming an offer without coins is refused with the source's message, and offers stay listed (E UC-04, AF-01)")
  func notEnoughCoins() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await services.give(9, to: ana)
      let offer = try await services.publish(cost: 10)
      #expect(try await ana.failure(RedeemOffer.self, .init(offerID: offer.id)) == "not_enough_coins")
      let words = Words(Contract.rewards.words)
      #expect(words.text("failure.not_enough_coins", .english) == "Not enough coins to redeem this reward.")
      #expect(try await ana.send(ListOffers.self, .init()).items == [offer])
      #expect(try await ana.send(GetBalance.self, .init()).coins == 9)
    }
  }

  @Test("Only one of 200 clients redeems the last piece in each of 100 rounds, and nobody pays without a code")
  func lastPiece() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      var people: [Person] = []
      for _ in 0..<200 {
        let person = try await services.register()
        try await services.give(100, to: person)
        people.append(person)
      }
      let everybody = people
      for round in 0..<100 {
        let offer = try await services.publish(title: "\(round)", cost: 1, stock: 1)
        let won = try await withThrowingTaskGroup(of: Redemption?.self) { group in
          for person in everybody {
            group.addTask {
              do {
                return try await person.send(RedeemOffer.self, .init(offerID: offer.id))
              } catch let failure as Failure where failure.code == "offer_sold_out" {
                return nil
              }
            }
          }
          return try await group.reduce(into: [Redemption]()) { won, redemption in if let redemption { won.append(redemption) } }
        }
        #expect(won.count == 1 && won.allSatisfy { $0.code != nil }, "round \(round)")
      }
      var (coins, codes) = (0, Set<RedemptionCode>())
      for person in everybody {
        let (balance, own) = (
          try await person.send(GetBalance.self, .init()).coins,
          try await person.send(ListRedemptions.self, .init(limit: 200)).items
        )
        #expect(balance + own.count == 100 && own.allSatisfy { $0.code != nil })
        coins += balance
        codes.formUnion(own.compactMap(\.code))
      }
      #expect(coins == 200 * 100 - 100 && codes.count == 100)
      try await services.ledgerIsSound()
    }
  }

  @Test("Codes are recognized as people type and read them")
  func codes() throws {
    var generator = SeededGenerator(1)
    let code = RedemptionCode(using: &generator)
    #expect(try RedemptionCode(text: code.description.lowercased().filter { $0 != "-" }) == code)
    #expect(try RedemptionCode(text: "olil-oooo-1111-2222").description == "0111-0000-1111-2222")
    #expect(throws: FieldRule.self) { try RedemptionCode(text: "0111-0000-1111-222") }
    #expect(throws: FieldRule.self) { try RedemptionCode(text: "0111-0000-1111-222U") }
    let many = (0..<2000).map { _ in RedemptionCode.unpredictable() }
    #expect(Set(many).count == 2000)
    // Every position of the code takes every digit.
    for position in 0..<16 {
      #expect(Set(many.map { Array($0.description.filter { $0 != "-" })[position] }).count == 32)
    }
  }
}
