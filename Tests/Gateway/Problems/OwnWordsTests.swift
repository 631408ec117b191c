import Messaging
import Operations
import RewardsContract
import Testing

@testable import GatewayService

@Suite("An operation's own words")
struct OwnWordsTests {
  @Test("are used while its service is away; others have the common ones (E CU-4, REW-4)")
  func unavailable() async throws {
    let bus = FakeBus()
    bus.answer(.rewards) { _ in throw BusFailure.unavailable }
    try await RunningGateway.with(contracts: [.rewards], bus: bus) { gateway in
      func detail(_ path: String, _ language: Language) async throws -> JSON? {
        let response = try await gateway.http("GET", path, try gateway.bearer(language: language))
        #expect(response.status == 503)
        #expect(response.fields["retry-after"] == "1")
        return try response.json["detail"]
      }
      #expect(try await detail("/v1/offers", .english) == "Offers temporarily unavailable.")
      #expect(try await detail("/v1/offers", .spanish) == "Ofertas no disponibles temporalmente.")
      #expect(try await detail("/v1/offers/\(OfferID())", .english) == "Offers temporarily unavailable.")
      #expect(
        try await detail("/v1/coins/balance", .english) == "A part of the server is not available. Try again in a moment.")
      let document = try await gateway.http("GET", "/openapi.json").json
      let said = document["paths"]?["/v1/offers"]?["get"]?["responses"]?["503"]?["description"]
      guard case .string(let text)? = said else { return #expect(Bool(false), "\(String(describing: said))") }
      #expect(text.contains("Offers temporarily unavailable."))
    }
  }
}
