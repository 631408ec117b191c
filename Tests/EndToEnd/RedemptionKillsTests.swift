import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import RewardsContract
import Testing

/// Rewards is killed at random moments while people redeem, and while codes are used and voided: each happens once and whole, and nobody pays
/// without a code.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Killing rewards during redemptions", .serialized)
struct RedemptionKillsTests {
  @Test("Killing rewards leaves each redemption once with its coins and code, and each code used or voided once (REW-5, E UC-04)")
  func redeeming() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let (shop, offer) = try await RedemptionKillsTests.shop(cluster, stock: 1000)
    let ana = try await cluster.join("ana", password: "Rio-7-lento", timeZone: NoonZone().name)
    let earned = try await RedemptionKillsTests.walk(ana)
    var (paid, refunded) = (0, 0)
    for round in 0..<Play.rounds(4) {
      let killer = Task {
        for _ in 0..<3 {
          // A random moment is the point: whatever runs then is cut off.
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
          cluster.kill(.rewards)
        }
      }
      var redemptions: [Redemption] = []
      for number in 0..<4 {
        redemptions.append(
          try await ana.client.callUntilDone(
            RedeemOffer.self, .init(offerID: offer), idempotencyKey: "redeem-\(round)-\(number)"))
      }
      paid += redemptions.count
      let code = GivenCode(code: try #require(redemptions[0].code).description)
      let used = try await shop.client.callUntilDone(UseCode.self, code, idempotencyKey: "use-\(round)")
      #expect(used.state == .used && used.id == redemptions[0].id)
      let void = VoidedRedemption(redemptionID: redemptions[1].id, reason: "Sold out")
      _ = try await shop.client.callUntilDone(VoidPartnerRedemption.self, void, idempotencyKey: "void-\(round)")
      refunded += 1
      try await killer.value
      try await cluster.waitUntilReady()
      let own = try await ana.client.callUntilDone(ListRedemptions.self, .init(limit: 200)).items
      #expect(own.count == paid && own.allSatisfy { $0.code != nil })
      #expect(Set(own.map(\.id)).isSuperset(of: redemptions.map(\.id)))
      #expect(own.count { $0.state == .used } == round + 1 && own.count { $0.state == .voided } == round + 1)
      let balance = try await ana.client.callUntilDone(GetBalance.self, .init()).coins
      #expect(balance == earned - paid + refunded)
      let remaining = try await ana.client.callUntilDone(GetOffer.self, .init(offerID: offer)).remaining
      #expect(remaining == 1000 - paid + refunded)
    }
    try Play.checkLedger(cluster)
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  @Test(
    "One of 200 concurrent clients, connections of four people, gets the last piece, in each of five rounds (REW-5)"
  )
  func lastPiece() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let shop = try await RedemptionKillsTests.shop(cluster, stock: 1).owner
    var people: [Member] = []
    for name in ["ana", "ben", "eva", "leo"] {
      let person = try await cluster.join(name, password: "Rio-7-lento", timeZone: NoonZone().name)
      _ = try await RedemptionKillsTests.walk(person)
      people.append(person)
    }
    let everybody = people
    for round in 0..<5 {
      let offer = try await RedemptionKillsTests.publish(shop, stock: 1)
      let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
        for client in 0..<200 {
          group.addTask {
            do {
              let redemption = try await everybody[client % 4].client.call(RedeemOffer.self, .init(offerID: offer))
              return redemption.code == nil ? "without a code" : "redeemed"
            } catch let problem as GatewayClient.Problem {
              return problem.code
            }
          }
        }
        return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(outcomes["redeemed"] == 1, "round \(round): \(outcomes)")
      #expect(Set(outcomes.keys).isSubset(of: ["redeemed", "offer_sold_out", "overloaded"]), "round \(round): \(outcomes)")
    }
    var redeemed = 0
    for person in everybody { redeemed += try await person.client.call(ListRedemptions.self, .init()).items.count }
    #expect(redeemed == 5)
    try Play.checkLedger(cluster)
  }

  /// Somebody who owns a partner with an offer of one coin.
  private static func shop(_ cluster: RunningCluster, stock: Int) async throws -> (owner: Member, offer: OfferID) {
    let owner = try await cluster.join("shop", password: "Mar-9-bravo")
    let administrator = try await cluster.join("marta", password: "Sol-5-claro")
    try cluster.administer("administrator", "marta")
    let session = try await cluster.client.call(LogIn.self, .init(login: "marta", password: "Sol-5-claro"))
    let partner = try await owner.client.call(
      RegisterPartner.self,
      .init(
        name: "Café", about: "Coffee.", contact: "hello@cafe.example",
        places: [.init(address: "Calle Mayor 1", latitude: 40.4, longitude: -3.7)]))
    _ = try await administrator.client.authorized(session.accessToken).call(
      DecidePartner.self, .init(partnerID: partner.partner.id, decision: .approve))
    return (owner, try await publish(owner, stock: stock))
  }

  private static func publish(_ owner: Member, stock: Int) async throws -> OfferID {
    let now = Instant.now
    return try await owner.client.call(
      CreatePartnerOffer.self,
      .init(
        title: "A coffee", reward: "One coffee", category: .drinks, costCoins: 1, stock: stock,
        validFrom: now.adding(seconds: -3600), validUntil: now.adding(seconds: 86_400))
    ).offer.id
  }

  /// Half an hour's walk, and the coins for it.
  private static func walk(_ person: Member) async throws -> Int {
    let end = Instant.now.adding(seconds: -60)
    let sample = MovementSample(id: "walk", start: end.adding(seconds: -1800), end: end, steps: 4000, source: "watch")
    _ = try await person.client.callUntilDone(RecordMovementSamples.self, .init(samples: [sample]))
    return try await eventually {
      try await person.client.callUntilDone(GetBalance.self, .init()).coins
    } until: {
      $0 == 40
    }
  }
}
