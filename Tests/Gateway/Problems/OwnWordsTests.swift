import Messaging
import Operations
import RewardsContract
import SocialContract
import Testing

@testable import GatewayService

@Suite("Messages specific to an operation")
struct OwnWordsTests {
  @Test("Operations use their specific messages while their service is down; others use the common ones (E UC-04, AF-02; REW-4)")
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

  @Test("A list of offers uses its specific message if its service answers too late (E UC-04, AF-02)")
  func late() async throws {
    let bus = FakeBus()
    bus.answer(.rewards) { _ in throw BusFailure.timedOut }
    try await RunningGateway.with(contracts: [.rewards], bus: bus) { gateway in
      let response = try await gateway.http("GET", "/v1/offers", try gateway.bearer(language: .english))
      #expect(response.status == 504)
      #expect(try response.json["detail"] == "Offers temporarily unavailable.")
    }
  }

  @Test("E UC-05, AF-02: leaderboards answer with the source's message while rewards cannot be reached (REW-6)")
  func leaderboard() async throws {
    let bus = FakeBus()
    bus.answer(.rewards) { _ in throw BusFailure.unavailable }
    try await RunningGateway.with(contracts: [.rewards], bus: bus) { gateway in
      for (language, text) in [
        (Language.english, "Cannot load leaderboard. Check your connection."),
        (.spanish, "No se puede cargar la clasificación. Comprueba tu conexión."),
      ] {
        let response = try await gateway.http("GET", "/v1/leaderboards?metric=steps", try gateway.bearer(language: language))
        #expect(response.status == 503)
        #expect(try response.json["detail"] == .string(text))
      }
    }
  }

  @Test(
    "Sending a message with an unknown outcome has a message of its own, with how to send it again, in both languages (CU-14)"
  )
  func ofOne() async throws {
    let bus = FakeBus()
    bus.answer(.social) { _ in throw BusFailure.unavailable }
    try await RunningGateway.with(contracts: [.social], bus: bus) { gateway in
      func detail(_ method: String, _ path: String, _ language: Language, _ body: String = "") async throws -> JSON? {
        var fields = try gateway.bearer(language: language)
        if !body.isEmpty { fields["Content-Type"] = "application/json" }
        let response = try await gateway.http(method, path, fields, body)
        #expect(response.status == 503)
        return try response.json["detail"]
      }
      let path = "/v1/conversations/\(AccountID())/messages"
      let english = try await detail("POST", path, .english, #"{"text":"Hi"}"#)
      let how = "Send it again in a moment with the same idempotency key: it is sent only once."
      #expect(
        english == .string("It is not known whether your message was sent: a part of the server is not available. \(how)"))
      let spanish = try await detail("POST", path, .spanish, #"{"text":"Hi"}"#)
      let why = "una parte del servidor no está disponible. Vuelve a enviarlo en un momento con la misma clave de idempotencia"
      #expect(spanish == .string("No se sabe si tu mensaje se ha enviado: \(why): se enviará una sola vez."))
      let listing = try await detail("GET", path, .english)
      #expect(listing == "A part of the server is not available. Try again in a moment.")
    }
  }
}
