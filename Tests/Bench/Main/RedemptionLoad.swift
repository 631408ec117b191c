import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import RewardsContract

/// Redemptions of a partner's offer: one after the other, and by 64 connections of four people.
struct RedemptionLoad {
  let cluster: RunningCluster
  let report: Report
  let people: People
  /// Puts the gateway under load by `wrk` with these options; how many are answered in a second, and what it says.
  let load: ([String]) throws -> (perSecond: Double, text: String)

  /// With so many steps on each day the coins last for the whole load.
  private static let days = 360

  func measure() async throws {
    let offer = try await publish()
    for person in people.all { try await walk(person) }
    let waits = try await Waits { _ in
      _ = try await people.first.client.call(RedeemOffer.self, .init(offerID: offer))
    }
    report.add("a redemption, p99", String(format: "%.1f ms", waits.p99), target: "25 ms", isReached: waits.p99 <= 25)
    report.raw(String(format: "a redemption: p50 %.1f ms, longest %.1f ms", waits.p50, waits.longest))
    let script = cluster.home + "/redeem.lua"
    try redeemScript(offer).write(toFile: script, atomically: true, encoding: .utf8)
    let result = try load(["-s", script])
    report.raw("redemptions: \(result.text)")
    report.add(
      "redemptions by 64 connections", "\(Int(result.perSecond))/s", target: "500/s", isReached: result.perSecond >= 500)
  }

  private func publish() async throws -> OfferID {
    let owner = try await People.make("bench.partner", cluster)
    let administrator = try await People.make("bench.admin", cluster)
    try cluster.administer("administrator", "bench.admin")
    let session = try await cluster.client.call(LogIn.self, administrator.login)
    let partner = try await owner.client.call(
      RegisterPartner.self, .init(name: "Bench", about: "Coffee.", contact: "bench@example.org"))
    _ = try await cluster.client.authorized(session.accessToken).call(
      DecidePartner.self, .init(partnerID: partner.partner.id, decision: .approve))
    let now = Instant.now
    return try await owner.client.call(
      CreatePartnerOffer.self,
      .init(
        title: "A coffee", reward: "One coffee", category: .drinks, costCoins: 1, stock: 1_000_000_000,
        validFrom: now.adding(seconds: -3600), validUntil: now.adding(seconds: 86_400))
    ).offer.id
  }

  /// A year's walks, and the coins for them.
  private func walk(_ person: People.Person) async throws {
    let now = Instant.now
    for day in 1...Self.days {
      let samples = (0..<5).map { part in
        let end = now.adding(seconds: -86_400 * day - 3600 * part)
        return MovementSample(
          id: "redeem-\(day)-\(part)", start: end.adding(seconds: -1800), end: end, steps: 4000, source: "bench",
          device: "redemptions")
      }
      _ = try await person.client.call(RecordMovementSamples.self, .init(samples: samples))
    }
    // What was walked becomes coins by events.
    while try await person.client.call(GetBalance.self, .init()).coins < Self.days * 100 {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func redeemScript(_ offer: OfferID) -> String {
    """
    local tokens = {\(people.all.map { "\"\($0.token)\"" }.joined(separator: ","))}
    local requests = {}
    function init()
      for _, token in ipairs(tokens) do
        requests[#requests + 1] = wrk.format("POST", "/v1/offers/\(offer)/redemptions",
          {["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json"}, '{}')
      end
    end
    local n = 0
    function request()
      n = n % #requests + 1
      return requests[n]
    end
    """
  }
}
